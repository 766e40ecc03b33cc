# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What requests of OTLP say, as folded stacks. usage: otlp_folded.py PROTOS TYPE FILE...

TYPE: which profiles: samples, cpu, off_cpu or intervals. Fails where a request is not as the specification says, or where two profiles have
the same id and say something else. Those with the same id count once; standard error says how many came again."""
import collections, sys

sys.path.insert(0, sys.argv[1])
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as service

kind = sys.argv[2]
seen = {}
stacks = collections.Counter()
doubles = 0


def attributes(tables, indices):
    found = {}
    for index in indices:
        assert 0 < index < len(tables.attribute_table)
        row = tables.attribute_table[index]
        key = tables.string_table[row.key_strindex]
        assert key and key not in found
        found[key] = getattr(row.value, row.value.WhichOneof("value"))
    return found


def frame(tables, index):
    assert 0 < index < len(tables.location_table)
    location = tables.location_table[index]
    if location.lines:
        function = tables.function_table[location.lines[0].function_index]
        assert function.name_strindex
        return tables.string_table[function.name_strindex]
    assert location.mapping_index
    mapping = tables.mapping_table[location.mapping_index]
    assert mapping.memory_start <= location.address < mapping.memory_limit
    file = tables.string_table[mapping.filename_strindex].rpartition("/")[2]
    return "%s+0x%x" % (file, location.address - mapping.memory_start + mapping.file_offset)


def read_sample(tables, profile, sample):
    """Its stack, folded, and the sum of its values."""
    assert 0 < sample.stack_index < len(tables.stack_table)
    assert sample.values or sample.timestamps_unix_nano
    if sample.timestamps_unix_nano:
        assert len(sample.values) in (0, len(sample.timestamps_unix_nano))
        end = profile.time_unix_nano + profile.duration_nano
        assert all(profile.time_unix_nano <= t < end for t in sample.timestamps_unix_nano)
    else:
        assert len(sample.values) == 1
    frames = [frame(tables, i) for i in tables.stack_table[sample.stack_index].location_indices]
    thread = attributes(tables, sample.attribute_indices)
    assert thread["thread.id"] > 0
    names = [thread["thread.name"].replace(" ", "_")] + frames[::-1]
    return ";".join(names), sum(sample.values) if sample.values else len(sample.timestamps_unix_nano)


def read_profile(tables, profile):
    global doubles
    assert profile.sample_type.type_strindex and profile.sample_type.unit_strindex
    assert profile.time_unix_nano and profile.duration_nano and profile.samples
    assert len(profile.profile_id) == 16 and any(profile.profile_id)
    assert (profile.period != 0) == profile.HasField("period_type")
    type = tables.string_table[profile.sample_type.type_strindex]
    assert type in ("samples", "cpu", "off_cpu", "intervals")
    lines = collections.Counter()
    for sample in profile.samples:
        stack, sum = read_sample(tables, profile, sample)
        lines[stack] += sum
    total = (type, profile.time_unix_nano, sum_of(lines))
    if profile.profile_id in seen:
        assert seen[profile.profile_id] == total, "one id, two profiles"
        doubles += 1
        return
    seen[profile.profile_id] = total
    if type == kind:
        stacks.update(lines)


def sum_of(lines):
    return sum(lines.values())


for name in sys.argv[3:]:
    request = service.ExportProfilesServiceRequest.FromString(open(name, "rb").read())
    tables = request.dictionary
    for table in ("mapping", "location", "function", "link", "attribute", "stack"):
        assert not getattr(tables, table + "_table")[0].ByteSize(), table
    assert tables.string_table[0] == ""
    for resource in request.resource_profiles:
        keys = [a.key for a in resource.resource.attributes]
        assert len(keys) == len(set(keys)) and "service.name" in keys and "host.name" in keys and "process.pid" in keys
        for scope in resource.scope_profiles:
            for profile in scope.profiles:
                read_profile(tables, profile)
for stack in sorted(stacks):
    print(stack, stacks[stack])
print(doubles, "doubles", file=sys.stderr)
