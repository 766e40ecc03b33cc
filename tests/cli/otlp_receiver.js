// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Receive profiles over OTLP, by grpc-js. usage: otlp_receiver.js PROTOS FOLDER; prints its port. Requests are files in FOLDER/taken, and
// standard error says what they have had.
"use strict";
const fs = require("fs");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [protos, folder] = process.argv.slice(2);
const path = "opentelemetry/proto/collector/profiles/v1development/profiles_service.proto";
const types = grpc.loadPackageDefinition(loader.loadSync(path, { includeDirs: [protos], longs: String }));
const service = types.opentelemetry.proto.collector.profiles.v1development.ProfilesService.service;
const read = service.Export.requestDeserialize;
let requests = 0, resources = 0, profiles = 0;

service.Export.requestDeserialize = (bytes) => {
	fs.writeFileSync(`${folder}/taken/${String(++requests).padStart(6, "0")}.pb`, bytes);
	return read(bytes);
};

function take(call, answer) {
	for (const resource of call.request.resourceProfiles) {
		resources++;
		for (const scope of resource.scopeProfiles)
			profiles += scope.profiles.length;
	}
	fs.writeFileSync(`${folder}/said`, `${resources} resources, ${profiles} profiles\n`);
	answer(null, { partialSuccess: null });
}

const server = new grpc.Server();
server.addService(service, { Export: take });
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
	if (error)
		throw error;
	console.log(port);
});
