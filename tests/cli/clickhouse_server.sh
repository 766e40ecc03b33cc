# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ClickHouse servers for tests, each in a folder, on ports of this machine that are free.

# The kernel gives the ports above to whoever connects; of those here one that is free stays so, but for other tests.
free_port() {
	python3 - <<-'END'
		import random, socket
		while True:
		    port = random.randrange(12000, 32000)
		    try:
		        socket.socket().bind(("127.0.0.1", port))
		    except OSError:
		        continue
		    print(port)
		    break
	END
}

# configure [FOLDER [XML]]: write the configuration of a server in the folder, "server", with more of it. The user dusk has the password "secret".
# $http_port: where it will answer; $tcp_port: to other servers
configure() {
	folder=$tmp/${1:-server}
	mkdir -p "$folder/data" "$folder/tmp" "$folder/files" "$folder/formats"
	http_port=${http_port_wanted:-$(free_port)}
	tcp_port=${tcp_port_wanted:-$(free_port)}
	echo "$http_port" >"$folder/port"
	cat >"$folder/config.xml" <<-END
		<yandex>
			<logger><level>warning</level><log>$folder/log</log><errorlog>$folder/errors</errorlog></logger>
			<http_port>$http_port</http_port>
			<tcp_port>$tcp_port</tcp_port>
			<interserver_http_port>$(free_port)</interserver_http_port>
			<interserver_http_host>127.0.0.1</interserver_http_host>
			<listen_host>127.0.0.1</listen_host>
			<path>$folder/data/</path>
			<tmp_path>$folder/tmp/</tmp_path>
			<user_files_path>$folder/files/</user_files_path>
			<format_schema_path>$folder/formats/</format_schema_path>
			<users_config>$folder/users.xml</users_config>
			<default_profile>default</default_profile>
			<default_database>default</default_database>
			<mark_cache_size>67108864</mark_cache_size>
			<timezone>UTC</timezone>
			<mlock_executable>false</mlock_executable>
			${2-}
		</yandex>
	END
	cat >"$folder/users.xml" <<-END
		<yandex>
			<profiles><default></default></profiles>
			<quotas><default></default></quotas>
			<users><dusk>
				<password>secret</password><networks><ip>127.0.0.1</ip></networks>
				<profile>default</profile><quota>default</quota>
			</dusk></users>
		</yandex>
	END
}

# serve [FOLDER]: start it, and wait until it answers; $server: its process
serve() {
	folder=$tmp/${1:-server}
	clickhouse-server --config-file="$folder/config.xml" >"$folder/said" 2>&1 &
	server=$!
	for i in $(seq 300); do
		curl -sf "http://127.0.0.1:$(cat "$folder/port")/ping" >/dev/null && return
		kill -0 $server || break
		sleep 0.1
	done
	cat "$folder/said" "$folder/errors"
	return 1
}

# url DATABASE: of the server that was configured last
url() {
	echo "clickhouse://dusk:secret@127.0.0.1:$http_port/$1"
}

# asked SQL [PORT]: what it answers
asked() {
	curl -s "http://dusk:secret@127.0.0.1:${2:-$http_port}/" --data-binary "$1"
}
