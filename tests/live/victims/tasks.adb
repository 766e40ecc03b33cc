--  SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
--  A task that calls an operator of a package, by way of a generic one. usage: tasks MILLISECONDS
with Ada.Calendar;     use Ada.Calendar;
with Ada.Command_Line; use Ada.Command_Line;
with Interfaces;       use Interfaces;

procedure Tasks is
   package Shop is
      function Spin (N : Unsigned_64) return Unsigned_64;
      function "+" (L : Unsigned_64; R : Boolean) return Unsigned_64;
   end Shop;

   package body Shop is
      Sink : Unsigned_64 := 1 with Volatile;

      function Spin (N : Unsigned_64) return Unsigned_64 is
         X : Unsigned_64 := N;
      begin
         for I in 1 .. 200_000 loop
            X := X * 6364136223846793005 + 1;
         end loop;
         Sink := X;
         return X;
      end Spin;

      function "+" (L : Unsigned_64; R : Boolean) return Unsigned_64 is
      begin
         return Spin (L) + (if R then 1 else 2);
      end "+";
   end Shop;

   generic
   package Orders is
      function Order (N : Unsigned_64) return Unsigned_64;
   end Orders;

   package body Orders is
      function Order (N : Unsigned_64) return Unsigned_64 is
      begin
         return Shop."+" (N, True) + 1;
      end Order;
   end Orders;

   package Our_Orders is new Orders;

   task type Worker;

   task body Worker is
      Rest : constant Duration := Duration'Value (Argument (1)) / 1000;
      Till : constant Time := Clock + Rest;
      Sum  : Unsigned_64 := 0;
   begin
      while Clock < Till loop
         Sum := Sum + Our_Orders.Order (Sum);
      end loop;
   end Worker;

   W : Worker;
begin
   null;
end Tasks;
