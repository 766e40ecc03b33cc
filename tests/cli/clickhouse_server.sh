# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A ClickHouse server for tests, in the folder server, on ports of this machine that are free.

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# configure: write its configuration. The user dusk has the password "secret".
configure() {
	mkdir -p server/data server/tmp server/files server/formats
	http_port=$(free_port)
	cat >server/config.xml <<-END
		<yandex>
			<logger><level>warning</level><log>$tmp/server/log</log><errorlog>$tmp/server/errors</errorlog></logger>
			<http_port>$http_port</http_port>
			<tcp_port>$(free_port)</tcp_port>
			<interserver_http_port>$(free_port)</interserver_http_port>
			<interserver_http_host>127.0.0.1</interserver_http_host>
			<listen_host>127.0.0.1</listen_host>
			<path>$tmp/server/data/</path>
			<tmp_path>$tmp/server/tmp/</tmp_path>
			<user_files_path>$tmp/server/files/</user_files_path>
			<format_schema_path>$tmp/server/formats/</format_schema_path>
			<users_config>$tmp/server/users.xml</users_config>
			<default_profile>default</default_profile>
			<default_database>default</default_database>
			<mark_cache_size>67108864</mark_cache_size>
			<timezone>UTC</timezone>
			<mlock_executable>false</mlock_executable>
		</yandex>
	END
	cat >server/users.xml <<-END
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

# serve: start it, and wait until it answers
serve() {
	clickhouse-server --config-file="$tmp/server/config.xml" >server/said 2>&1 &
	server=$!
	for i in $(seq 300); do
		curl -sf "http://127.0.0.1:$http_port/ping" >/dev/null && return
		kill -0 $server || break
		sleep 0.1
	done
	cat server/said server/errors
	return 1
}

# asked SQL: what it answers
asked() {
	curl -s "http://dusk:secret@127.0.0.1:$http_port/" --data-binary "$1"
}
