SELECT true = 7::int2
SELECT true = 5
SELECT true = 12::int8
SELECT true || 1.5::float4
SELECT true || 2.5::float8
SELECT true + 3.75
SELECT true = 'abc'::text
SELECT true + 'abc'::varchar
SELECT true || 'ab'::char(4)
SELECT true = 'x'::"char"
SELECT true = 'abc'::name
SELECT true < '\x6162'::bytea
SELECT true = '2024-02-29'::date
SELECT true = '12:34:56.789'::time
SELECT true || '12:34:56+02'::timetz
SELECT true < '2024-02-29 12:34:56.789'::timestamp
SELECT true + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT true = '1 mon 2 days 03:04:05.5'::interval
SELECT true = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT true < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT true = '{"a": 1}'::json
SELECT true + 5::oid
SELECT true < array[1, 2, 3]
SELECT true < array['a', 'b']
SELECT true + '{1.5,-2}'::float8[]
SELECT true < '{10,20}'::int8[]
SELECT true < '{t,f}'::bool[]
SELECT true = '{1.5,-2}'::numeric[]
SELECT true < '{2024-02-29,NULL}'::date[]
SELECT true < '[1,5)'::int4range
SELECT true < '[1,5000000000)'::int8range
SELECT true = '[1.5,5)'::numrange
SELECT true < '[2024-01-01,2024-02-29]'::daterange
SELECT true + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT true < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 7::int2 = true
SELECT 7::int2 = 5
SELECT 7::int2 = 12::int8
SELECT 7::int2 || 1.5::float4
SELECT 7::int2 || 2.5::float8
SELECT 7::int2 + 3.75
SELECT 7::int2 = 'abc'::text
SELECT 7::int2 + 'abc'::varchar
SELECT 7::int2 || 'ab'::char(4)
SELECT 7::int2 = 'x'::"char"
SELECT 7::int2 = 'abc'::name
SELECT 7::int2 < '\x6162'::bytea
SELECT 7::int2 = '2024-02-29'::date
SELECT 7::int2 = '12:34:56.789'::time
SELECT 7::int2 || '12:34:56+02'::timetz
SELECT 7::int2 < '2024-02-29 12:34:56.789'::timestamp
SELECT 7::int2 + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 7::int2 = '1 mon 2 days 03:04:05.5'::interval
SELECT 7::int2 = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 7::int2 < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 7::int2 = '{"a": 1}'::json
SELECT 7::int2 + 5::oid
SELECT 7::int2 < array[1, 2, 3]
SELECT 7::int2 < array['a', 'b']
SELECT 7::int2 + '{1.5,-2}'::float8[]
SELECT 7::int2 < '{10,20}'::int8[]
SELECT 7::int2 < '{t,f}'::bool[]
SELECT 7::int2 = '{1.5,-2}'::numeric[]
SELECT 7::int2 < '{2024-02-29,NULL}'::date[]
SELECT 7::int2 < '[1,5)'::int4range
SELECT 7::int2 < '[1,5000000000)'::int8range
SELECT 7::int2 = '[1.5,5)'::numrange
SELECT 7::int2 < '[2024-01-01,2024-02-29]'::daterange
SELECT 7::int2 + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 7::int2 < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 5 = true
SELECT 5 = 7::int2
SELECT 5 = 12::int8
SELECT 5 || 1.5::float4
SELECT 5 || 2.5::float8
SELECT 5 + 3.75
SELECT 5 = 'abc'::text
SELECT 5 + 'abc'::varchar
SELECT 5 || 'ab'::char(4)
SELECT 5 = 'x'::"char"
SELECT 5 = 'abc'::name
SELECT 5 < '\x6162'::bytea
SELECT 5 = '2024-02-29'::date
SELECT 5 = '12:34:56.789'::time
SELECT 5 || '12:34:56+02'::timetz
SELECT 5 < '2024-02-29 12:34:56.789'::timestamp
SELECT 5 + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 5 = '1 mon 2 days 03:04:05.5'::interval
SELECT 5 = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 5 < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 5 = '{"a": 1}'::json
SELECT 5 + 5::oid
SELECT 5 < array[1, 2, 3]
SELECT 5 < array['a', 'b']
SELECT 5 + '{1.5,-2}'::float8[]
SELECT 5 < '{10,20}'::int8[]
SELECT 5 < '{t,f}'::bool[]
SELECT 5 = '{1.5,-2}'::numeric[]
SELECT 5 < '{2024-02-29,NULL}'::date[]
SELECT 5 < '[1,5)'::int4range
SELECT 5 < '[1,5000000000)'::int8range
SELECT 5 = '[1.5,5)'::numrange
SELECT 5 < '[2024-01-01,2024-02-29]'::daterange
SELECT 5 + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 5 < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 12::int8 = true
SELECT 12::int8 = 7::int2
SELECT 12::int8 = 5
SELECT 12::int8 || 1.5::float4
SELECT 12::int8 || 2.5::float8
SELECT 12::int8 + 3.75
SELECT 12::int8 = 'abc'::text
SELECT 12::int8 + 'abc'::varchar
SELECT 12::int8 || 'ab'::char(4)
SELECT 12::int8 = 'x'::"char"
SELECT 12::int8 = 'abc'::name
SELECT 12::int8 < '\x6162'::bytea
SELECT 12::int8 = '2024-02-29'::date
SELECT 12::int8 = '12:34:56.789'::time
SELECT 12::int8 || '12:34:56+02'::timetz
SELECT 12::int8 < '2024-02-29 12:34:56.789'::timestamp
SELECT 12::int8 + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 12::int8 = '1 mon 2 days 03:04:05.5'::interval
SELECT 12::int8 = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 12::int8 < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 12::int8 = '{"a": 1}'::json
SELECT 12::int8 + 5::oid
SELECT 12::int8 < array[1, 2, 3]
SELECT 12::int8 < array['a', 'b']
SELECT 12::int8 + '{1.5,-2}'::float8[]
SELECT 12::int8 < '{10,20}'::int8[]
SELECT 12::int8 < '{t,f}'::bool[]
SELECT 12::int8 = '{1.5,-2}'::numeric[]
SELECT 12::int8 < '{2024-02-29,NULL}'::date[]
SELECT 12::int8 < '[1,5)'::int4range
SELECT 12::int8 < '[1,5000000000)'::int8range
SELECT 12::int8 = '[1.5,5)'::numrange
SELECT 12::int8 < '[2024-01-01,2024-02-29]'::daterange
SELECT 12::int8 + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 12::int8 < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 1.5::float4 || true
SELECT 1.5::float4 || 7::int2
SELECT 1.5::float4 || 5
SELECT 1.5::float4 || 12::int8
SELECT 1.5::float4 = 2.5::float8
SELECT 1.5::float4 < 3.75
SELECT 1.5::float4 || 'abc'::text
SELECT 1.5::float4 < 'abc'::varchar
SELECT 1.5::float4 = 'ab'::char(4)
SELECT 1.5::float4 || 'x'::"char"
SELECT 1.5::float4 || 'abc'::name
SELECT 1.5::float4 + '\x6162'::bytea
SELECT 1.5::float4 || '2024-02-29'::date
SELECT 1.5::float4 || '12:34:56.789'::time
SELECT 1.5::float4 = '12:34:56+02'::timetz
SELECT 1.5::float4 + '2024-02-29 12:34:56.789'::timestamp
SELECT 1.5::float4 < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 1.5::float4 || '1 mon 2 days 03:04:05.5'::interval
SELECT 1.5::float4 || 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 1.5::float4 + '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 1.5::float4 || '{"a": 1}'::json
SELECT 1.5::float4 < 5::oid
SELECT 1.5::float4 + array[1, 2, 3]
SELECT 1.5::float4 + array['a', 'b']
SELECT 1.5::float4 < '{1.5,-2}'::float8[]
SELECT 1.5::float4 + '{10,20}'::int8[]
SELECT 1.5::float4 + '{t,f}'::bool[]
SELECT 1.5::float4 || '{1.5,-2}'::numeric[]
SELECT 1.5::float4 + '{2024-02-29,NULL}'::date[]
SELECT 1.5::float4 + '[1,5)'::int4range
SELECT 1.5::float4 + '[1,5000000000)'::int8range
SELECT 1.5::float4 || '[1.5,5)'::numrange
SELECT 1.5::float4 + '[2024-01-01,2024-02-29]'::daterange
SELECT 1.5::float4 < '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 1.5::float4 + '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 2.5::float8 || true
SELECT 2.5::float8 || 7::int2
SELECT 2.5::float8 || 5
SELECT 2.5::float8 || 12::int8
SELECT 2.5::float8 = 1.5::float4
SELECT 2.5::float8 < 3.75
SELECT 2.5::float8 || 'abc'::text
SELECT 2.5::float8 < 'abc'::varchar
SELECT 2.5::float8 = 'ab'::char(4)
SELECT 2.5::float8 || 'x'::"char"
SELECT 2.5::float8 || 'abc'::name
SELECT 2.5::float8 + '\x6162'::bytea
SELECT 2.5::float8 || '2024-02-29'::date
SELECT 2.5::float8 || '12:34:56.789'::time
SELECT 2.5::float8 = '12:34:56+02'::timetz
SELECT 2.5::float8 + '2024-02-29 12:34:56.789'::timestamp
SELECT 2.5::float8 < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 2.5::float8 || '1 mon 2 days 03:04:05.5'::interval
SELECT 2.5::float8 || 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 2.5::float8 + '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 2.5::float8 || '{"a": 1}'::json
SELECT 2.5::float8 < 5::oid
SELECT 2.5::float8 + array[1, 2, 3]
SELECT 2.5::float8 + array['a', 'b']
SELECT 2.5::float8 < '{1.5,-2}'::float8[]
SELECT 2.5::float8 + '{10,20}'::int8[]
SELECT 2.5::float8 + '{t,f}'::bool[]
SELECT 2.5::float8 || '{1.5,-2}'::numeric[]
SELECT 2.5::float8 + '{2024-02-29,NULL}'::date[]
SELECT 2.5::float8 + '[1,5)'::int4range
SELECT 2.5::float8 + '[1,5000000000)'::int8range
SELECT 2.5::float8 || '[1.5,5)'::numrange
SELECT 2.5::float8 + '[2024-01-01,2024-02-29]'::daterange
SELECT 2.5::float8 < '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 2.5::float8 + '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 3.75 < true
SELECT 3.75 < 7::int2
SELECT 3.75 < 5
SELECT 3.75 < 12::int8
SELECT 3.75 + 1.5::float4
SELECT 3.75 + 2.5::float8
SELECT 3.75 < 'abc'::text
SELECT 3.75 = 'abc'::varchar
SELECT 3.75 + 'ab'::char(4)
SELECT 3.75 < 'x'::"char"
SELECT 3.75 < 'abc'::name
SELECT 3.75 || '\x6162'::bytea
SELECT 3.75 < '2024-02-29'::date
SELECT 3.75 < '12:34:56.789'::time
SELECT 3.75 + '12:34:56+02'::timetz
SELECT 3.75 || '2024-02-29 12:34:56.789'::timestamp
SELECT 3.75 = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 3.75 < '1 mon 2 days 03:04:05.5'::interval
SELECT 3.75 < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 3.75 || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 3.75 < '{"a": 1}'::json
SELECT 3.75 = 5::oid
SELECT 3.75 || array[1, 2, 3]
SELECT 3.75 || array['a', 'b']
SELECT 3.75 = '{1.5,-2}'::float8[]
SELECT 3.75 || '{10,20}'::int8[]
SELECT 3.75 || '{t,f}'::bool[]
SELECT 3.75 < '{1.5,-2}'::numeric[]
SELECT 3.75 || '{2024-02-29,NULL}'::date[]
SELECT 3.75 || '[1,5)'::int4range
SELECT 3.75 || '[1,5000000000)'::int8range
SELECT 3.75 < '[1.5,5)'::numrange
SELECT 3.75 || '[2024-01-01,2024-02-29]'::daterange
SELECT 3.75 = '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 3.75 || '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 'abc'::text = true
SELECT 'abc'::text = 7::int2
SELECT 'abc'::text = 5
SELECT 'abc'::text = 12::int8
SELECT 'abc'::text || 1.5::float4
SELECT 'abc'::text || 2.5::float8
SELECT 'abc'::text + 3.75
SELECT 'abc'::text + 'abc'::varchar
SELECT 'abc'::text || 'ab'::char(4)
SELECT 'abc'::text = 'x'::"char"
SELECT 'abc'::text = 'abc'::name
SELECT 'abc'::text < '\x6162'::bytea
SELECT 'abc'::text = '2024-02-29'::date
SELECT 'abc'::text = '12:34:56.789'::time
SELECT 'abc'::text || '12:34:56+02'::timetz
SELECT 'abc'::text < '2024-02-29 12:34:56.789'::timestamp
SELECT 'abc'::text + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'abc'::text = '1 mon 2 days 03:04:05.5'::interval
SELECT 'abc'::text = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'abc'::text < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 'abc'::text = '{"a": 1}'::json
SELECT 'abc'::text + 5::oid
SELECT 'abc'::text < array[1, 2, 3]
SELECT 'abc'::text < array['a', 'b']
SELECT 'abc'::text + '{1.5,-2}'::float8[]
SELECT 'abc'::text < '{10,20}'::int8[]
SELECT 'abc'::text < '{t,f}'::bool[]
SELECT 'abc'::text = '{1.5,-2}'::numeric[]
SELECT 'abc'::text < '{2024-02-29,NULL}'::date[]
SELECT 'abc'::text < '[1,5)'::int4range
SELECT 'abc'::text < '[1,5000000000)'::int8range
SELECT 'abc'::text = '[1.5,5)'::numrange
SELECT 'abc'::text < '[2024-01-01,2024-02-29]'::daterange
SELECT 'abc'::text + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 'abc'::text < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 'abc'::varchar < true
SELECT 'abc'::varchar < 7::int2
SELECT 'abc'::varchar < 5
SELECT 'abc'::varchar < 12::int8
SELECT 'abc'::varchar + 1.5::float4
SELECT 'abc'::varchar + 2.5::float8
SELECT 'abc'::varchar = 3.75
SELECT 'abc'::varchar < 'abc'::text
SELECT 'abc'::varchar + 'ab'::char(4)
SELECT 'abc'::varchar < 'x'::"char"
SELECT 'abc'::varchar < 'abc'::name
SELECT 'abc'::varchar || '\x6162'::bytea
SELECT 'abc'::varchar < '2024-02-29'::date
SELECT 'abc'::varchar < '12:34:56.789'::time
SELECT 'abc'::varchar + '12:34:56+02'::timetz
SELECT 'abc'::varchar || '2024-02-29 12:34:56.789'::timestamp
SELECT 'abc'::varchar = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'abc'::varchar < '1 mon 2 days 03:04:05.5'::interval
SELECT 'abc'::varchar < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'abc'::varchar || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 'abc'::varchar < '{"a": 1}'::json
SELECT 'abc'::varchar = 5::oid
SELECT 'abc'::varchar || array[1, 2, 3]
SELECT 'abc'::varchar || array['a', 'b']
SELECT 'abc'::varchar = '{1.5,-2}'::float8[]
SELECT 'abc'::varchar || '{10,20}'::int8[]
SELECT 'abc'::varchar || '{t,f}'::bool[]
SELECT 'abc'::varchar < '{1.5,-2}'::numeric[]
SELECT 'abc'::varchar || '{2024-02-29,NULL}'::date[]
SELECT 'abc'::varchar || '[1,5)'::int4range
SELECT 'abc'::varchar || '[1,5000000000)'::int8range
SELECT 'abc'::varchar < '[1.5,5)'::numrange
SELECT 'abc'::varchar || '[2024-01-01,2024-02-29]'::daterange
SELECT 'abc'::varchar = '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 'abc'::varchar || '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 'ab'::char(4) || true
SELECT 'ab'::char(4) || 7::int2
SELECT 'ab'::char(4) || 5
SELECT 'ab'::char(4) || 12::int8
SELECT 'ab'::char(4) = 1.5::float4
SELECT 'ab'::char(4) = 2.5::float8
SELECT 'ab'::char(4) < 3.75
SELECT 'ab'::char(4) || 'abc'::text
SELECT 'ab'::char(4) < 'abc'::varchar
SELECT 'ab'::char(4) || 'x'::"char"
SELECT 'ab'::char(4) || 'abc'::name
SELECT 'ab'::char(4) + '\x6162'::bytea
SELECT 'ab'::char(4) || '2024-02-29'::date
SELECT 'ab'::char(4) || '12:34:56.789'::time
SELECT 'ab'::char(4) = '12:34:56+02'::timetz
SELECT 'ab'::char(4) + '2024-02-29 12:34:56.789'::timestamp
SELECT 'ab'::char(4) < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'ab'::char(4) || '1 mon 2 days 03:04:05.5'::interval
SELECT 'ab'::char(4) || 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'ab'::char(4) + '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 'ab'::char(4) || '{"a": 1}'::json
SELECT 'ab'::char(4) < 5::oid
SELECT 'ab'::char(4) + array[1, 2, 3]
SELECT 'ab'::char(4) + array['a', 'b']
SELECT 'ab'::char(4) < '{1.5,-2}'::float8[]
SELECT 'ab'::char(4) + '{10,20}'::int8[]
SELECT 'ab'::char(4) + '{t,f}'::bool[]
SELECT 'ab'::char(4) || '{1.5,-2}'::numeric[]
SELECT 'ab'::char(4) + '{2024-02-29,NULL}'::date[]
SELECT 'ab'::char(4) + '[1,5)'::int4range
SELECT 'ab'::char(4) + '[1,5000000000)'::int8range
SELECT 'ab'::char(4) || '[1.5,5)'::numrange
SELECT 'ab'::char(4) + '[2024-01-01,2024-02-29]'::daterange
SELECT 'ab'::char(4) < '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 'ab'::char(4) + '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 'x'::"char" = true
SELECT 'x'::"char" = 7::int2
SELECT 'x'::"char" = 5
SELECT 'x'::"char" = 12::int8
SELECT 'x'::"char" || 1.5::float4
SELECT 'x'::"char" || 2.5::float8
SELECT 'x'::"char" + 3.75
SELECT 'x'::"char" = 'abc'::text
SELECT 'x'::"char" + 'abc'::varchar
SELECT 'x'::"char" || 'ab'::char(4)
SELECT 'x'::"char" = 'abc'::name
SELECT 'x'::"char" < '\x6162'::bytea
SELECT 'x'::"char" = '2024-02-29'::date
SELECT 'x'::"char" = '12:34:56.789'::time
SELECT 'x'::"char" || '12:34:56+02'::timetz
SELECT 'x'::"char" < '2024-02-29 12:34:56.789'::timestamp
SELECT 'x'::"char" + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'x'::"char" = '1 mon 2 days 03:04:05.5'::interval
SELECT 'x'::"char" = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'x'::"char" < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 'x'::"char" = '{"a": 1}'::json
SELECT 'x'::"char" + 5::oid
SELECT 'x'::"char" < array[1, 2, 3]
SELECT 'x'::"char" < array['a', 'b']
SELECT 'x'::"char" + '{1.5,-2}'::float8[]
SELECT 'x'::"char" < '{10,20}'::int8[]
SELECT 'x'::"char" < '{t,f}'::bool[]
SELECT 'x'::"char" = '{1.5,-2}'::numeric[]
SELECT 'x'::"char" < '{2024-02-29,NULL}'::date[]
SELECT 'x'::"char" < '[1,5)'::int4range
SELECT 'x'::"char" < '[1,5000000000)'::int8range
SELECT 'x'::"char" = '[1.5,5)'::numrange
SELECT 'x'::"char" < '[2024-01-01,2024-02-29]'::daterange
SELECT 'x'::"char" + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 'x'::"char" < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 'abc'::name = true
SELECT 'abc'::name = 7::int2
SELECT 'abc'::name = 5
SELECT 'abc'::name = 12::int8
SELECT 'abc'::name || 1.5::float4
SELECT 'abc'::name || 2.5::float8
SELECT 'abc'::name + 3.75
SELECT 'abc'::name = 'abc'::text
SELECT 'abc'::name + 'abc'::varchar
SELECT 'abc'::name || 'ab'::char(4)
SELECT 'abc'::name = 'x'::"char"
SELECT 'abc'::name < '\x6162'::bytea
SELECT 'abc'::name = '2024-02-29'::date
SELECT 'abc'::name = '12:34:56.789'::time
SELECT 'abc'::name || '12:34:56+02'::timetz
SELECT 'abc'::name < '2024-02-29 12:34:56.789'::timestamp
SELECT 'abc'::name + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'abc'::name = '1 mon 2 days 03:04:05.5'::interval
SELECT 'abc'::name = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'abc'::name < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 'abc'::name = '{"a": 1}'::json
SELECT 'abc'::name + 5::oid
SELECT 'abc'::name < array[1, 2, 3]
SELECT 'abc'::name < array['a', 'b']
SELECT 'abc'::name + '{1.5,-2}'::float8[]
SELECT 'abc'::name < '{10,20}'::int8[]
SELECT 'abc'::name < '{t,f}'::bool[]
SELECT 'abc'::name = '{1.5,-2}'::numeric[]
SELECT 'abc'::name < '{2024-02-29,NULL}'::date[]
SELECT 'abc'::name < '[1,5)'::int4range
SELECT 'abc'::name < '[1,5000000000)'::int8range
SELECT 'abc'::name = '[1.5,5)'::numrange
SELECT 'abc'::name < '[2024-01-01,2024-02-29]'::daterange
SELECT 'abc'::name + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 'abc'::name < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '\x6162'::bytea + true
SELECT '\x6162'::bytea + 7::int2
SELECT '\x6162'::bytea + 5
SELECT '\x6162'::bytea + 12::int8
SELECT '\x6162'::bytea < 1.5::float4
SELECT '\x6162'::bytea < 2.5::float8
SELECT '\x6162'::bytea || 3.75
SELECT '\x6162'::bytea + 'abc'::text
SELECT '\x6162'::bytea || 'abc'::varchar
SELECT '\x6162'::bytea < 'ab'::char(4)
SELECT '\x6162'::bytea + 'x'::"char"
SELECT '\x6162'::bytea + 'abc'::name
SELECT '\x6162'::bytea + '2024-02-29'::date
SELECT '\x6162'::bytea + '12:34:56.789'::time
SELECT '\x6162'::bytea < '12:34:56+02'::timetz
SELECT '\x6162'::bytea = '2024-02-29 12:34:56.789'::timestamp
SELECT '\x6162'::bytea || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '\x6162'::bytea + '1 mon 2 days 03:04:05.5'::interval
SELECT '\x6162'::bytea + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '\x6162'::bytea = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '\x6162'::bytea + '{"a": 1}'::json
SELECT '\x6162'::bytea || 5::oid
SELECT '\x6162'::bytea = array[1, 2, 3]
SELECT '\x6162'::bytea = array['a', 'b']
SELECT '\x6162'::bytea || '{1.5,-2}'::float8[]
SELECT '\x6162'::bytea = '{10,20}'::int8[]
SELECT '\x6162'::bytea = '{t,f}'::bool[]
SELECT '\x6162'::bytea + '{1.5,-2}'::numeric[]
SELECT '\x6162'::bytea = '{2024-02-29,NULL}'::date[]
SELECT '\x6162'::bytea = '[1,5)'::int4range
SELECT '\x6162'::bytea = '[1,5000000000)'::int8range
SELECT '\x6162'::bytea + '[1.5,5)'::numrange
SELECT '\x6162'::bytea = '[2024-01-01,2024-02-29]'::daterange
SELECT '\x6162'::bytea || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '\x6162'::bytea = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '2024-02-29'::date = true
SELECT '2024-02-29'::date = 7::int2
SELECT '2024-02-29'::date = 5
SELECT '2024-02-29'::date = 12::int8
SELECT '2024-02-29'::date || 1.5::float4
SELECT '2024-02-29'::date || 2.5::float8
SELECT '2024-02-29'::date + 3.75
SELECT '2024-02-29'::date = 'abc'::text
SELECT '2024-02-29'::date + 'abc'::varchar
SELECT '2024-02-29'::date || 'ab'::char(4)
SELECT '2024-02-29'::date = 'x'::"char"
SELECT '2024-02-29'::date = 'abc'::name
SELECT '2024-02-29'::date < '\x6162'::bytea
SELECT '2024-02-29'::date = '12:34:56.789'::time
SELECT '2024-02-29'::date || '12:34:56+02'::timetz
SELECT '2024-02-29'::date < '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date = '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29'::date = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '2024-02-29'::date < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '2024-02-29'::date = '{"a": 1}'::json
SELECT '2024-02-29'::date + 5::oid
SELECT '2024-02-29'::date < array[1, 2, 3]
SELECT '2024-02-29'::date < array['a', 'b']
SELECT '2024-02-29'::date + '{1.5,-2}'::float8[]
SELECT '2024-02-29'::date < '{10,20}'::int8[]
SELECT '2024-02-29'::date < '{t,f}'::bool[]
SELECT '2024-02-29'::date = '{1.5,-2}'::numeric[]
SELECT '2024-02-29'::date < '{2024-02-29,NULL}'::date[]
SELECT '2024-02-29'::date < '[1,5)'::int4range
SELECT '2024-02-29'::date < '[1,5000000000)'::int8range
SELECT '2024-02-29'::date = '[1.5,5)'::numrange
SELECT '2024-02-29'::date < '[2024-01-01,2024-02-29]'::daterange
SELECT '2024-02-29'::date + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '2024-02-29'::date < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '12:34:56.789'::time = true
SELECT '12:34:56.789'::time = 7::int2
SELECT '12:34:56.789'::time = 5
SELECT '12:34:56.789'::time = 12::int8
SELECT '12:34:56.789'::time || 1.5::float4
SELECT '12:34:56.789'::time || 2.5::float8
SELECT '12:34:56.789'::time + 3.75
SELECT '12:34:56.789'::time = 'abc'::text
SELECT '12:34:56.789'::time + 'abc'::varchar
SELECT '12:34:56.789'::time || 'ab'::char(4)
SELECT '12:34:56.789'::time = 'x'::"char"
SELECT '12:34:56.789'::time = 'abc'::name
SELECT '12:34:56.789'::time < '\x6162'::bytea
SELECT '12:34:56.789'::time = '2024-02-29'::date
SELECT '12:34:56.789'::time || '12:34:56+02'::timetz
SELECT '12:34:56.789'::time < '2024-02-29 12:34:56.789'::timestamp
SELECT '12:34:56.789'::time + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '12:34:56.789'::time = '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56.789'::time = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '12:34:56.789'::time < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '12:34:56.789'::time = '{"a": 1}'::json
SELECT '12:34:56.789'::time + 5::oid
SELECT '12:34:56.789'::time < array[1, 2, 3]
SELECT '12:34:56.789'::time < array['a', 'b']
SELECT '12:34:56.789'::time + '{1.5,-2}'::float8[]
SELECT '12:34:56.789'::time < '{10,20}'::int8[]
SELECT '12:34:56.789'::time < '{t,f}'::bool[]
SELECT '12:34:56.789'::time = '{1.5,-2}'::numeric[]
SELECT '12:34:56.789'::time < '{2024-02-29,NULL}'::date[]
SELECT '12:34:56.789'::time < '[1,5)'::int4range
SELECT '12:34:56.789'::time < '[1,5000000000)'::int8range
SELECT '12:34:56.789'::time = '[1.5,5)'::numrange
SELECT '12:34:56.789'::time < '[2024-01-01,2024-02-29]'::daterange
SELECT '12:34:56.789'::time + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '12:34:56.789'::time < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '12:34:56+02'::timetz || true
SELECT '12:34:56+02'::timetz || 7::int2
SELECT '12:34:56+02'::timetz || 5
SELECT '12:34:56+02'::timetz || 12::int8
SELECT '12:34:56+02'::timetz = 1.5::float4
SELECT '12:34:56+02'::timetz = 2.5::float8
SELECT '12:34:56+02'::timetz < 3.75
SELECT '12:34:56+02'::timetz || 'abc'::text
SELECT '12:34:56+02'::timetz < 'abc'::varchar
SELECT '12:34:56+02'::timetz = 'ab'::char(4)
SELECT '12:34:56+02'::timetz || 'x'::"char"
SELECT '12:34:56+02'::timetz || 'abc'::name
SELECT '12:34:56+02'::timetz + '\x6162'::bytea
SELECT '12:34:56+02'::timetz || '2024-02-29'::date
SELECT '12:34:56+02'::timetz || '12:34:56.789'::time
SELECT '12:34:56+02'::timetz + '2024-02-29 12:34:56.789'::timestamp
SELECT '12:34:56+02'::timetz < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '12:34:56+02'::timetz || '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56+02'::timetz || 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '12:34:56+02'::timetz + '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '12:34:56+02'::timetz || '{"a": 1}'::json
SELECT '12:34:56+02'::timetz < 5::oid
SELECT '12:34:56+02'::timetz + array[1, 2, 3]
SELECT '12:34:56+02'::timetz + array['a', 'b']
SELECT '12:34:56+02'::timetz < '{1.5,-2}'::float8[]
SELECT '12:34:56+02'::timetz + '{10,20}'::int8[]
SELECT '12:34:56+02'::timetz + '{t,f}'::bool[]
SELECT '12:34:56+02'::timetz || '{1.5,-2}'::numeric[]
SELECT '12:34:56+02'::timetz + '{2024-02-29,NULL}'::date[]
SELECT '12:34:56+02'::timetz + '[1,5)'::int4range
SELECT '12:34:56+02'::timetz + '[1,5000000000)'::int8range
SELECT '12:34:56+02'::timetz || '[1.5,5)'::numrange
SELECT '12:34:56+02'::timetz + '[2024-01-01,2024-02-29]'::daterange
SELECT '12:34:56+02'::timetz < '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '12:34:56+02'::timetz + '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '2024-02-29 12:34:56.789'::timestamp + true
SELECT '2024-02-29 12:34:56.789'::timestamp + 7::int2
SELECT '2024-02-29 12:34:56.789'::timestamp + 5
SELECT '2024-02-29 12:34:56.789'::timestamp + 12::int8
SELECT '2024-02-29 12:34:56.789'::timestamp < 1.5::float4
SELECT '2024-02-29 12:34:56.789'::timestamp < 2.5::float8
SELECT '2024-02-29 12:34:56.789'::timestamp || 3.75
SELECT '2024-02-29 12:34:56.789'::timestamp + 'abc'::text
SELECT '2024-02-29 12:34:56.789'::timestamp || 'abc'::varchar
SELECT '2024-02-29 12:34:56.789'::timestamp < 'ab'::char(4)
SELECT '2024-02-29 12:34:56.789'::timestamp + 'x'::"char"
SELECT '2024-02-29 12:34:56.789'::timestamp + 'abc'::name
SELECT '2024-02-29 12:34:56.789'::timestamp = '\x6162'::bytea
SELECT '2024-02-29 12:34:56.789'::timestamp + '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp + '12:34:56.789'::time
SELECT '2024-02-29 12:34:56.789'::timestamp < '12:34:56+02'::timetz
SELECT '2024-02-29 12:34:56.789'::timestamp || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp + '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '2024-02-29 12:34:56.789'::timestamp = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '2024-02-29 12:34:56.789'::timestamp + '{"a": 1}'::json
SELECT '2024-02-29 12:34:56.789'::timestamp || 5::oid
SELECT '2024-02-29 12:34:56.789'::timestamp = array[1, 2, 3]
SELECT '2024-02-29 12:34:56.789'::timestamp = array['a', 'b']
SELECT '2024-02-29 12:34:56.789'::timestamp || '{1.5,-2}'::float8[]
SELECT '2024-02-29 12:34:56.789'::timestamp = '{10,20}'::int8[]
SELECT '2024-02-29 12:34:56.789'::timestamp = '{t,f}'::bool[]
SELECT '2024-02-29 12:34:56.789'::timestamp + '{1.5,-2}'::numeric[]
SELECT '2024-02-29 12:34:56.789'::timestamp = '{2024-02-29,NULL}'::date[]
SELECT '2024-02-29 12:34:56.789'::timestamp = '[1,5)'::int4range
SELECT '2024-02-29 12:34:56.789'::timestamp = '[1,5000000000)'::int8range
SELECT '2024-02-29 12:34:56.789'::timestamp + '[1.5,5)'::numrange
SELECT '2024-02-29 12:34:56.789'::timestamp = '[2024-01-01,2024-02-29]'::daterange
SELECT '2024-02-29 12:34:56.789'::timestamp || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '2024-02-29 12:34:56.789'::timestamp = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < true
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 7::int2
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 5
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 12::int8
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + 1.5::float4
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + 2.5::float8
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = 3.75
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 'abc'::text
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = 'abc'::varchar
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + 'ab'::char(4)
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 'x'::"char"
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 'abc'::name
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '\x6162'::bytea
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '12:34:56.789'::time
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + '12:34:56+02'::timetz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '{"a": 1}'::json
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = 5::oid
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || array[1, 2, 3]
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || array['a', 'b']
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '{1.5,-2}'::float8[]
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '{10,20}'::int8[]
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '{t,f}'::bool[]
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '{1.5,-2}'::numeric[]
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '{2024-02-29,NULL}'::date[]
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '[1,5)'::int4range
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '[1,5000000000)'::int8range
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '[1.5,5)'::numrange
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '[2024-01-01,2024-02-29]'::daterange
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '2024-02-29 12:34:56.789+02'::timestamptz || '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '1 mon 2 days 03:04:05.5'::interval = true
SELECT '1 mon 2 days 03:04:05.5'::interval = 7::int2
SELECT '1 mon 2 days 03:04:05.5'::interval = 5
SELECT '1 mon 2 days 03:04:05.5'::interval = 12::int8
SELECT '1 mon 2 days 03:04:05.5'::interval || 1.5::float4
SELECT '1 mon 2 days 03:04:05.5'::interval || 2.5::float8
SELECT '1 mon 2 days 03:04:05.5'::interval + 3.75
SELECT '1 mon 2 days 03:04:05.5'::interval = 'abc'::text
SELECT '1 mon 2 days 03:04:05.5'::interval + 'abc'::varchar
SELECT '1 mon 2 days 03:04:05.5'::interval || 'ab'::char(4)
SELECT '1 mon 2 days 03:04:05.5'::interval = 'x'::"char"
SELECT '1 mon 2 days 03:04:05.5'::interval = 'abc'::name
SELECT '1 mon 2 days 03:04:05.5'::interval < '\x6162'::bytea
SELECT '1 mon 2 days 03:04:05.5'::interval = '2024-02-29'::date
SELECT '1 mon 2 days 03:04:05.5'::interval = '12:34:56.789'::time
SELECT '1 mon 2 days 03:04:05.5'::interval || '12:34:56+02'::timetz
SELECT '1 mon 2 days 03:04:05.5'::interval < '2024-02-29 12:34:56.789'::timestamp
SELECT '1 mon 2 days 03:04:05.5'::interval + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '1 mon 2 days 03:04:05.5'::interval = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '1 mon 2 days 03:04:05.5'::interval < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1 mon 2 days 03:04:05.5'::interval = '{"a": 1}'::json
SELECT '1 mon 2 days 03:04:05.5'::interval + 5::oid
SELECT '1 mon 2 days 03:04:05.5'::interval < array[1, 2, 3]
SELECT '1 mon 2 days 03:04:05.5'::interval < array['a', 'b']
SELECT '1 mon 2 days 03:04:05.5'::interval + '{1.5,-2}'::float8[]
SELECT '1 mon 2 days 03:04:05.5'::interval < '{10,20}'::int8[]
SELECT '1 mon 2 days 03:04:05.5'::interval < '{t,f}'::bool[]
SELECT '1 mon 2 days 03:04:05.5'::interval = '{1.5,-2}'::numeric[]
SELECT '1 mon 2 days 03:04:05.5'::interval < '{2024-02-29,NULL}'::date[]
SELECT '1 mon 2 days 03:04:05.5'::interval < '[1,5)'::int4range
SELECT '1 mon 2 days 03:04:05.5'::interval < '[1,5000000000)'::int8range
SELECT '1 mon 2 days 03:04:05.5'::interval = '[1.5,5)'::numrange
SELECT '1 mon 2 days 03:04:05.5'::interval < '[2024-01-01,2024-02-29]'::daterange
SELECT '1 mon 2 days 03:04:05.5'::interval + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '1 mon 2 days 03:04:05.5'::interval < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = true
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 7::int2
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 5
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 12::int8
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid || 1.5::float4
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid || 2.5::float8
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid + 3.75
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'abc'::text
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid + 'abc'::varchar
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid || 'ab'::char(4)
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'x'::"char"
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'abc'::name
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '\x6162'::bytea
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '2024-02-29'::date
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '12:34:56.789'::time
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid || '12:34:56+02'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '2024-02-29 12:34:56.789'::timestamp
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '1 mon 2 days 03:04:05.5'::interval
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '{"a": 1}'::json
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid + 5::oid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < array[1, 2, 3]
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < array['a', 'b']
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid + '{1.5,-2}'::float8[]
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '{10,20}'::int8[]
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '{t,f}'::bool[]
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '{1.5,-2}'::numeric[]
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '{2024-02-29,NULL}'::date[]
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '[1,5)'::int4range
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '[1,5000000000)'::int8range
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '[1.5,5)'::numrange
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '[2024-01-01,2024-02-29]'::daterange
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + true
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 7::int2
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 5
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 12::int8
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < 1.5::float4
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < 2.5::float8
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || 3.75
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 'abc'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || 'abc'::varchar
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < 'ab'::char(4)
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 'x'::"char"
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 'abc'::name
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '\x6162'::bytea
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + '2024-02-29'::date
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + '12:34:56.789'::time
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < '12:34:56+02'::timetz
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '2024-02-29 12:34:56.789'::timestamp
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + '1 mon 2 days 03:04:05.5'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + '{"a": 1}'::json
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || 5::oid
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = array[1, 2, 3]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || '{1.5,-2}'::float8[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '{10,20}'::int8[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '{t,f}'::bool[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + '{1.5,-2}'::numeric[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '{2024-02-29,NULL}'::date[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '[1,5)'::int4range
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '[1,5000000000)'::int8range
SELECT '{"a": 1, "b": [1, 2]}'::jsonb + '[1.5,5)'::numrange
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '[2024-01-01,2024-02-29]'::daterange
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{"a": 1}'::json = true
SELECT '{"a": 1}'::json = 7::int2
SELECT '{"a": 1}'::json = 5
SELECT '{"a": 1}'::json = 12::int8
SELECT '{"a": 1}'::json || 1.5::float4
SELECT '{"a": 1}'::json || 2.5::float8
SELECT '{"a": 1}'::json + 3.75
SELECT '{"a": 1}'::json = 'abc'::text
SELECT '{"a": 1}'::json + 'abc'::varchar
SELECT '{"a": 1}'::json || 'ab'::char(4)
SELECT '{"a": 1}'::json = 'x'::"char"
SELECT '{"a": 1}'::json = 'abc'::name
SELECT '{"a": 1}'::json < '\x6162'::bytea
SELECT '{"a": 1}'::json = '2024-02-29'::date
SELECT '{"a": 1}'::json = '12:34:56.789'::time
SELECT '{"a": 1}'::json || '12:34:56+02'::timetz
SELECT '{"a": 1}'::json < '2024-02-29 12:34:56.789'::timestamp
SELECT '{"a": 1}'::json + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{"a": 1}'::json = '1 mon 2 days 03:04:05.5'::interval
SELECT '{"a": 1}'::json = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{"a": 1}'::json < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1}'::json + 5::oid
SELECT '{"a": 1}'::json < array[1, 2, 3]
SELECT '{"a": 1}'::json < array['a', 'b']
SELECT '{"a": 1}'::json + '{1.5,-2}'::float8[]
SELECT '{"a": 1}'::json < '{10,20}'::int8[]
SELECT '{"a": 1}'::json < '{t,f}'::bool[]
SELECT '{"a": 1}'::json = '{1.5,-2}'::numeric[]
SELECT '{"a": 1}'::json < '{2024-02-29,NULL}'::date[]
SELECT '{"a": 1}'::json < '[1,5)'::int4range
SELECT '{"a": 1}'::json < '[1,5000000000)'::int8range
SELECT '{"a": 1}'::json = '[1.5,5)'::numrange
SELECT '{"a": 1}'::json < '[2024-01-01,2024-02-29]'::daterange
SELECT '{"a": 1}'::json + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{"a": 1}'::json < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT 5::oid < true
SELECT 5::oid < 7::int2
SELECT 5::oid < 5
SELECT 5::oid < 12::int8
SELECT 5::oid + 1.5::float4
SELECT 5::oid + 2.5::float8
SELECT 5::oid = 3.75
SELECT 5::oid < 'abc'::text
SELECT 5::oid = 'abc'::varchar
SELECT 5::oid + 'ab'::char(4)
SELECT 5::oid < 'x'::"char"
SELECT 5::oid < 'abc'::name
SELECT 5::oid || '\x6162'::bytea
SELECT 5::oid < '2024-02-29'::date
SELECT 5::oid < '12:34:56.789'::time
SELECT 5::oid + '12:34:56+02'::timetz
SELECT 5::oid || '2024-02-29 12:34:56.789'::timestamp
SELECT 5::oid = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 5::oid < '1 mon 2 days 03:04:05.5'::interval
SELECT 5::oid < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 5::oid || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT 5::oid < '{"a": 1}'::json
SELECT 5::oid || array[1, 2, 3]
SELECT 5::oid || array['a', 'b']
SELECT 5::oid = '{1.5,-2}'::float8[]
SELECT 5::oid || '{10,20}'::int8[]
SELECT 5::oid || '{t,f}'::bool[]
SELECT 5::oid < '{1.5,-2}'::numeric[]
SELECT 5::oid || '{2024-02-29,NULL}'::date[]
SELECT 5::oid || '[1,5)'::int4range
SELECT 5::oid || '[1,5000000000)'::int8range
SELECT 5::oid < '[1.5,5)'::numrange
SELECT 5::oid || '[2024-01-01,2024-02-29]'::daterange
SELECT 5::oid = '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT 5::oid || '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT array[1, 2, 3] + true
SELECT array[1, 2, 3] + 7::int2
SELECT array[1, 2, 3] + 5
SELECT array[1, 2, 3] + 12::int8
SELECT array[1, 2, 3] < 1.5::float4
SELECT array[1, 2, 3] < 2.5::float8
SELECT array[1, 2, 3] || 3.75
SELECT array[1, 2, 3] + 'abc'::text
SELECT array[1, 2, 3] || 'abc'::varchar
SELECT array[1, 2, 3] < 'ab'::char(4)
SELECT array[1, 2, 3] + 'x'::"char"
SELECT array[1, 2, 3] + 'abc'::name
SELECT array[1, 2, 3] = '\x6162'::bytea
SELECT array[1, 2, 3] + '2024-02-29'::date
SELECT array[1, 2, 3] + '12:34:56.789'::time
SELECT array[1, 2, 3] < '12:34:56+02'::timetz
SELECT array[1, 2, 3] = '2024-02-29 12:34:56.789'::timestamp
SELECT array[1, 2, 3] || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT array[1, 2, 3] + '1 mon 2 days 03:04:05.5'::interval
SELECT array[1, 2, 3] + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT array[1, 2, 3] = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT array[1, 2, 3] + '{"a": 1}'::json
SELECT array[1, 2, 3] || 5::oid
SELECT array[1, 2, 3] = array['a', 'b']
SELECT array[1, 2, 3] || '{1.5,-2}'::float8[]
SELECT array[1, 2, 3] = '{10,20}'::int8[]
SELECT array[1, 2, 3] = '{t,f}'::bool[]
SELECT array[1, 2, 3] + '{1.5,-2}'::numeric[]
SELECT array[1, 2, 3] = '{2024-02-29,NULL}'::date[]
SELECT array[1, 2, 3] = '[1,5)'::int4range
SELECT array[1, 2, 3] = '[1,5000000000)'::int8range
SELECT array[1, 2, 3] + '[1.5,5)'::numrange
SELECT array[1, 2, 3] = '[2024-01-01,2024-02-29]'::daterange
SELECT array[1, 2, 3] || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT array[1, 2, 3] = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT array['a', 'b'] + true
SELECT array['a', 'b'] + 7::int2
SELECT array['a', 'b'] + 5
SELECT array['a', 'b'] + 12::int8
SELECT array['a', 'b'] < 1.5::float4
SELECT array['a', 'b'] < 2.5::float8
SELECT array['a', 'b'] || 3.75
SELECT array['a', 'b'] + 'abc'::text
SELECT array['a', 'b'] || 'abc'::varchar
SELECT array['a', 'b'] < 'ab'::char(4)
SELECT array['a', 'b'] + 'x'::"char"
SELECT array['a', 'b'] + 'abc'::name
SELECT array['a', 'b'] = '\x6162'::bytea
SELECT array['a', 'b'] + '2024-02-29'::date
SELECT array['a', 'b'] + '12:34:56.789'::time
SELECT array['a', 'b'] < '12:34:56+02'::timetz
SELECT array['a', 'b'] = '2024-02-29 12:34:56.789'::timestamp
SELECT array['a', 'b'] || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT array['a', 'b'] + '1 mon 2 days 03:04:05.5'::interval
SELECT array['a', 'b'] + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT array['a', 'b'] = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT array['a', 'b'] + '{"a": 1}'::json
SELECT array['a', 'b'] || 5::oid
SELECT array['a', 'b'] = array[1, 2, 3]
SELECT array['a', 'b'] || '{1.5,-2}'::float8[]
SELECT array['a', 'b'] = '{10,20}'::int8[]
SELECT array['a', 'b'] = '{t,f}'::bool[]
SELECT array['a', 'b'] + '{1.5,-2}'::numeric[]
SELECT array['a', 'b'] = '{2024-02-29,NULL}'::date[]
SELECT array['a', 'b'] = '[1,5)'::int4range
SELECT array['a', 'b'] = '[1,5000000000)'::int8range
SELECT array['a', 'b'] + '[1.5,5)'::numrange
SELECT array['a', 'b'] = '[2024-01-01,2024-02-29]'::daterange
SELECT array['a', 'b'] || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT array['a', 'b'] = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{1.5,-2}'::float8[] < true
SELECT '{1.5,-2}'::float8[] < 7::int2
SELECT '{1.5,-2}'::float8[] < 5
SELECT '{1.5,-2}'::float8[] < 12::int8
SELECT '{1.5,-2}'::float8[] + 1.5::float4
SELECT '{1.5,-2}'::float8[] + 2.5::float8
SELECT '{1.5,-2}'::float8[] = 3.75
SELECT '{1.5,-2}'::float8[] < 'abc'::text
SELECT '{1.5,-2}'::float8[] = 'abc'::varchar
SELECT '{1.5,-2}'::float8[] + 'ab'::char(4)
SELECT '{1.5,-2}'::float8[] < 'x'::"char"
SELECT '{1.5,-2}'::float8[] < 'abc'::name
SELECT '{1.5,-2}'::float8[] || '\x6162'::bytea
SELECT '{1.5,-2}'::float8[] < '2024-02-29'::date
SELECT '{1.5,-2}'::float8[] < '12:34:56.789'::time
SELECT '{1.5,-2}'::float8[] + '12:34:56+02'::timetz
SELECT '{1.5,-2}'::float8[] || '2024-02-29 12:34:56.789'::timestamp
SELECT '{1.5,-2}'::float8[] = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{1.5,-2}'::float8[] < '1 mon 2 days 03:04:05.5'::interval
SELECT '{1.5,-2}'::float8[] < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{1.5,-2}'::float8[] || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{1.5,-2}'::float8[] < '{"a": 1}'::json
SELECT '{1.5,-2}'::float8[] = 5::oid
SELECT '{1.5,-2}'::float8[] || array[1, 2, 3]
SELECT '{1.5,-2}'::float8[] || array['a', 'b']
SELECT '{1.5,-2}'::float8[] || '{10,20}'::int8[]
SELECT '{1.5,-2}'::float8[] || '{t,f}'::bool[]
SELECT '{1.5,-2}'::float8[] < '{1.5,-2}'::numeric[]
SELECT '{1.5,-2}'::float8[] || '{2024-02-29,NULL}'::date[]
SELECT '{1.5,-2}'::float8[] || '[1,5)'::int4range
SELECT '{1.5,-2}'::float8[] || '[1,5000000000)'::int8range
SELECT '{1.5,-2}'::float8[] < '[1.5,5)'::numrange
SELECT '{1.5,-2}'::float8[] || '[2024-01-01,2024-02-29]'::daterange
SELECT '{1.5,-2}'::float8[] = '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{1.5,-2}'::float8[] || '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{10,20}'::int8[] + true
SELECT '{10,20}'::int8[] + 7::int2
SELECT '{10,20}'::int8[] + 5
SELECT '{10,20}'::int8[] + 12::int8
SELECT '{10,20}'::int8[] < 1.5::float4
SELECT '{10,20}'::int8[] < 2.5::float8
SELECT '{10,20}'::int8[] || 3.75
SELECT '{10,20}'::int8[] + 'abc'::text
SELECT '{10,20}'::int8[] || 'abc'::varchar
SELECT '{10,20}'::int8[] < 'ab'::char(4)
SELECT '{10,20}'::int8[] + 'x'::"char"
SELECT '{10,20}'::int8[] + 'abc'::name
SELECT '{10,20}'::int8[] = '\x6162'::bytea
SELECT '{10,20}'::int8[] + '2024-02-29'::date
SELECT '{10,20}'::int8[] + '12:34:56.789'::time
SELECT '{10,20}'::int8[] < '12:34:56+02'::timetz
SELECT '{10,20}'::int8[] = '2024-02-29 12:34:56.789'::timestamp
SELECT '{10,20}'::int8[] || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{10,20}'::int8[] + '1 mon 2 days 03:04:05.5'::interval
SELECT '{10,20}'::int8[] + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{10,20}'::int8[] = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{10,20}'::int8[] + '{"a": 1}'::json
SELECT '{10,20}'::int8[] || 5::oid
SELECT '{10,20}'::int8[] = array[1, 2, 3]
SELECT '{10,20}'::int8[] = array['a', 'b']
SELECT '{10,20}'::int8[] || '{1.5,-2}'::float8[]
SELECT '{10,20}'::int8[] = '{t,f}'::bool[]
SELECT '{10,20}'::int8[] + '{1.5,-2}'::numeric[]
SELECT '{10,20}'::int8[] = '{2024-02-29,NULL}'::date[]
SELECT '{10,20}'::int8[] = '[1,5)'::int4range
SELECT '{10,20}'::int8[] = '[1,5000000000)'::int8range
SELECT '{10,20}'::int8[] + '[1.5,5)'::numrange
SELECT '{10,20}'::int8[] = '[2024-01-01,2024-02-29]'::daterange
SELECT '{10,20}'::int8[] || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{10,20}'::int8[] = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{t,f}'::bool[] + true
SELECT '{t,f}'::bool[] + 7::int2
SELECT '{t,f}'::bool[] + 5
SELECT '{t,f}'::bool[] + 12::int8
SELECT '{t,f}'::bool[] < 1.5::float4
SELECT '{t,f}'::bool[] < 2.5::float8
SELECT '{t,f}'::bool[] || 3.75
SELECT '{t,f}'::bool[] + 'abc'::text
SELECT '{t,f}'::bool[] || 'abc'::varchar
SELECT '{t,f}'::bool[] < 'ab'::char(4)
SELECT '{t,f}'::bool[] + 'x'::"char"
SELECT '{t,f}'::bool[] + 'abc'::name
SELECT '{t,f}'::bool[] = '\x6162'::bytea
SELECT '{t,f}'::bool[] + '2024-02-29'::date
SELECT '{t,f}'::bool[] + '12:34:56.789'::time
SELECT '{t,f}'::bool[] < '12:34:56+02'::timetz
SELECT '{t,f}'::bool[] = '2024-02-29 12:34:56.789'::timestamp
SELECT '{t,f}'::bool[] || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{t,f}'::bool[] + '1 mon 2 days 03:04:05.5'::interval
SELECT '{t,f}'::bool[] + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{t,f}'::bool[] = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{t,f}'::bool[] + '{"a": 1}'::json
SELECT '{t,f}'::bool[] || 5::oid
SELECT '{t,f}'::bool[] = array[1, 2, 3]
SELECT '{t,f}'::bool[] = array['a', 'b']
SELECT '{t,f}'::bool[] || '{1.5,-2}'::float8[]
SELECT '{t,f}'::bool[] = '{10,20}'::int8[]
SELECT '{t,f}'::bool[] + '{1.5,-2}'::numeric[]
SELECT '{t,f}'::bool[] = '{2024-02-29,NULL}'::date[]
SELECT '{t,f}'::bool[] = '[1,5)'::int4range
SELECT '{t,f}'::bool[] = '[1,5000000000)'::int8range
SELECT '{t,f}'::bool[] + '[1.5,5)'::numrange
SELECT '{t,f}'::bool[] = '[2024-01-01,2024-02-29]'::daterange
SELECT '{t,f}'::bool[] || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{t,f}'::bool[] = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{1.5,-2}'::numeric[] = true
SELECT '{1.5,-2}'::numeric[] = 7::int2
SELECT '{1.5,-2}'::numeric[] = 5
SELECT '{1.5,-2}'::numeric[] = 12::int8
SELECT '{1.5,-2}'::numeric[] || 1.5::float4
SELECT '{1.5,-2}'::numeric[] || 2.5::float8
SELECT '{1.5,-2}'::numeric[] + 3.75
SELECT '{1.5,-2}'::numeric[] = 'abc'::text
SELECT '{1.5,-2}'::numeric[] + 'abc'::varchar
SELECT '{1.5,-2}'::numeric[] || 'ab'::char(4)
SELECT '{1.5,-2}'::numeric[] = 'x'::"char"
SELECT '{1.5,-2}'::numeric[] = 'abc'::name
SELECT '{1.5,-2}'::numeric[] < '\x6162'::bytea
SELECT '{1.5,-2}'::numeric[] = '2024-02-29'::date
SELECT '{1.5,-2}'::numeric[] = '12:34:56.789'::time
SELECT '{1.5,-2}'::numeric[] || '12:34:56+02'::timetz
SELECT '{1.5,-2}'::numeric[] < '2024-02-29 12:34:56.789'::timestamp
SELECT '{1.5,-2}'::numeric[] + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{1.5,-2}'::numeric[] = '1 mon 2 days 03:04:05.5'::interval
SELECT '{1.5,-2}'::numeric[] = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{1.5,-2}'::numeric[] < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{1.5,-2}'::numeric[] = '{"a": 1}'::json
SELECT '{1.5,-2}'::numeric[] + 5::oid
SELECT '{1.5,-2}'::numeric[] < array[1, 2, 3]
SELECT '{1.5,-2}'::numeric[] < array['a', 'b']
SELECT '{1.5,-2}'::numeric[] + '{1.5,-2}'::float8[]
SELECT '{1.5,-2}'::numeric[] < '{10,20}'::int8[]
SELECT '{1.5,-2}'::numeric[] < '{t,f}'::bool[]
SELECT '{1.5,-2}'::numeric[] < '{2024-02-29,NULL}'::date[]
SELECT '{1.5,-2}'::numeric[] < '[1,5)'::int4range
SELECT '{1.5,-2}'::numeric[] < '[1,5000000000)'::int8range
SELECT '{1.5,-2}'::numeric[] = '[1.5,5)'::numrange
SELECT '{1.5,-2}'::numeric[] < '[2024-01-01,2024-02-29]'::daterange
SELECT '{1.5,-2}'::numeric[] + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{1.5,-2}'::numeric[] < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '{2024-02-29,NULL}'::date[] + true
SELECT '{2024-02-29,NULL}'::date[] + 7::int2
SELECT '{2024-02-29,NULL}'::date[] + 5
SELECT '{2024-02-29,NULL}'::date[] + 12::int8
SELECT '{2024-02-29,NULL}'::date[] < 1.5::float4
SELECT '{2024-02-29,NULL}'::date[] < 2.5::float8
SELECT '{2024-02-29,NULL}'::date[] || 3.75
SELECT '{2024-02-29,NULL}'::date[] + 'abc'::text
SELECT '{2024-02-29,NULL}'::date[] || 'abc'::varchar
SELECT '{2024-02-29,NULL}'::date[] < 'ab'::char(4)
SELECT '{2024-02-29,NULL}'::date[] + 'x'::"char"
SELECT '{2024-02-29,NULL}'::date[] + 'abc'::name
SELECT '{2024-02-29,NULL}'::date[] = '\x6162'::bytea
SELECT '{2024-02-29,NULL}'::date[] + '2024-02-29'::date
SELECT '{2024-02-29,NULL}'::date[] + '12:34:56.789'::time
SELECT '{2024-02-29,NULL}'::date[] < '12:34:56+02'::timetz
SELECT '{2024-02-29,NULL}'::date[] = '2024-02-29 12:34:56.789'::timestamp
SELECT '{2024-02-29,NULL}'::date[] || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '{2024-02-29,NULL}'::date[] + '1 mon 2 days 03:04:05.5'::interval
SELECT '{2024-02-29,NULL}'::date[] + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{2024-02-29,NULL}'::date[] = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{2024-02-29,NULL}'::date[] + '{"a": 1}'::json
SELECT '{2024-02-29,NULL}'::date[] || 5::oid
SELECT '{2024-02-29,NULL}'::date[] = array[1, 2, 3]
SELECT '{2024-02-29,NULL}'::date[] = array['a', 'b']
SELECT '{2024-02-29,NULL}'::date[] || '{1.5,-2}'::float8[]
SELECT '{2024-02-29,NULL}'::date[] = '{10,20}'::int8[]
SELECT '{2024-02-29,NULL}'::date[] = '{t,f}'::bool[]
SELECT '{2024-02-29,NULL}'::date[] + '{1.5,-2}'::numeric[]
SELECT '{2024-02-29,NULL}'::date[] = '[1,5)'::int4range
SELECT '{2024-02-29,NULL}'::date[] = '[1,5000000000)'::int8range
SELECT '{2024-02-29,NULL}'::date[] + '[1.5,5)'::numrange
SELECT '{2024-02-29,NULL}'::date[] = '[2024-01-01,2024-02-29]'::daterange
SELECT '{2024-02-29,NULL}'::date[] || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '{2024-02-29,NULL}'::date[] = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '[1,5)'::int4range + true
SELECT '[1,5)'::int4range + 7::int2
SELECT '[1,5)'::int4range + 5
SELECT '[1,5)'::int4range + 12::int8
SELECT '[1,5)'::int4range < 1.5::float4
SELECT '[1,5)'::int4range < 2.5::float8
SELECT '[1,5)'::int4range || 3.75
SELECT '[1,5)'::int4range + 'abc'::text
SELECT '[1,5)'::int4range || 'abc'::varchar
SELECT '[1,5)'::int4range < 'ab'::char(4)
SELECT '[1,5)'::int4range + 'x'::"char"
SELECT '[1,5)'::int4range + 'abc'::name
SELECT '[1,5)'::int4range = '\x6162'::bytea
SELECT '[1,5)'::int4range + '2024-02-29'::date
SELECT '[1,5)'::int4range + '12:34:56.789'::time
SELECT '[1,5)'::int4range < '12:34:56+02'::timetz
SELECT '[1,5)'::int4range = '2024-02-29 12:34:56.789'::timestamp
SELECT '[1,5)'::int4range || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '[1,5)'::int4range + '1 mon 2 days 03:04:05.5'::interval
SELECT '[1,5)'::int4range + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '[1,5)'::int4range = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '[1,5)'::int4range + '{"a": 1}'::json
SELECT '[1,5)'::int4range || 5::oid
SELECT '[1,5)'::int4range = array[1, 2, 3]
SELECT '[1,5)'::int4range = array['a', 'b']
SELECT '[1,5)'::int4range || '{1.5,-2}'::float8[]
SELECT '[1,5)'::int4range = '{10,20}'::int8[]
SELECT '[1,5)'::int4range = '{t,f}'::bool[]
SELECT '[1,5)'::int4range + '{1.5,-2}'::numeric[]
SELECT '[1,5)'::int4range = '{2024-02-29,NULL}'::date[]
SELECT '[1,5)'::int4range = '[1,5000000000)'::int8range
SELECT '[1,5)'::int4range + '[1.5,5)'::numrange
SELECT '[1,5)'::int4range = '[2024-01-01,2024-02-29]'::daterange
SELECT '[1,5)'::int4range || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '[1,5)'::int4range = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '[1,5000000000)'::int8range + true
SELECT '[1,5000000000)'::int8range + 7::int2
SELECT '[1,5000000000)'::int8range + 5
SELECT '[1,5000000000)'::int8range + 12::int8
SELECT '[1,5000000000)'::int8range < 1.5::float4
SELECT '[1,5000000000)'::int8range < 2.5::float8
SELECT '[1,5000000000)'::int8range || 3.75
SELECT '[1,5000000000)'::int8range + 'abc'::text
SELECT '[1,5000000000)'::int8range || 'abc'::varchar
SELECT '[1,5000000000)'::int8range < 'ab'::char(4)
SELECT '[1,5000000000)'::int8range + 'x'::"char"
SELECT '[1,5000000000)'::int8range + 'abc'::name
SELECT '[1,5000000000)'::int8range = '\x6162'::bytea
SELECT '[1,5000000000)'::int8range + '2024-02-29'::date
SELECT '[1,5000000000)'::int8range + '12:34:56.789'::time
SELECT '[1,5000000000)'::int8range < '12:34:56+02'::timetz
SELECT '[1,5000000000)'::int8range = '2024-02-29 12:34:56.789'::timestamp
SELECT '[1,5000000000)'::int8range || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '[1,5000000000)'::int8range + '1 mon 2 days 03:04:05.5'::interval
SELECT '[1,5000000000)'::int8range + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '[1,5000000000)'::int8range = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '[1,5000000000)'::int8range + '{"a": 1}'::json
SELECT '[1,5000000000)'::int8range || 5::oid
SELECT '[1,5000000000)'::int8range = array[1, 2, 3]
SELECT '[1,5000000000)'::int8range = array['a', 'b']
SELECT '[1,5000000000)'::int8range || '{1.5,-2}'::float8[]
SELECT '[1,5000000000)'::int8range = '{10,20}'::int8[]
SELECT '[1,5000000000)'::int8range = '{t,f}'::bool[]
SELECT '[1,5000000000)'::int8range + '{1.5,-2}'::numeric[]
SELECT '[1,5000000000)'::int8range = '{2024-02-29,NULL}'::date[]
SELECT '[1,5000000000)'::int8range = '[1,5)'::int4range
SELECT '[1,5000000000)'::int8range + '[1.5,5)'::numrange
SELECT '[1,5000000000)'::int8range = '[2024-01-01,2024-02-29]'::daterange
SELECT '[1,5000000000)'::int8range || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '[1,5000000000)'::int8range = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '[1.5,5)'::numrange = true
SELECT '[1.5,5)'::numrange = 7::int2
SELECT '[1.5,5)'::numrange = 5
SELECT '[1.5,5)'::numrange = 12::int8
SELECT '[1.5,5)'::numrange || 1.5::float4
SELECT '[1.5,5)'::numrange || 2.5::float8
SELECT '[1.5,5)'::numrange + 3.75
SELECT '[1.5,5)'::numrange = 'abc'::text
SELECT '[1.5,5)'::numrange + 'abc'::varchar
SELECT '[1.5,5)'::numrange || 'ab'::char(4)
SELECT '[1.5,5)'::numrange = 'x'::"char"
SELECT '[1.5,5)'::numrange = 'abc'::name
SELECT '[1.5,5)'::numrange < '\x6162'::bytea
SELECT '[1.5,5)'::numrange = '2024-02-29'::date
SELECT '[1.5,5)'::numrange = '12:34:56.789'::time
SELECT '[1.5,5)'::numrange || '12:34:56+02'::timetz
SELECT '[1.5,5)'::numrange < '2024-02-29 12:34:56.789'::timestamp
SELECT '[1.5,5)'::numrange + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '[1.5,5)'::numrange = '1 mon 2 days 03:04:05.5'::interval
SELECT '[1.5,5)'::numrange = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '[1.5,5)'::numrange < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '[1.5,5)'::numrange = '{"a": 1}'::json
SELECT '[1.5,5)'::numrange + 5::oid
SELECT '[1.5,5)'::numrange < array[1, 2, 3]
SELECT '[1.5,5)'::numrange < array['a', 'b']
SELECT '[1.5,5)'::numrange + '{1.5,-2}'::float8[]
SELECT '[1.5,5)'::numrange < '{10,20}'::int8[]
SELECT '[1.5,5)'::numrange < '{t,f}'::bool[]
SELECT '[1.5,5)'::numrange = '{1.5,-2}'::numeric[]
SELECT '[1.5,5)'::numrange < '{2024-02-29,NULL}'::date[]
SELECT '[1.5,5)'::numrange < '[1,5)'::int4range
SELECT '[1.5,5)'::numrange < '[1,5000000000)'::int8range
SELECT '[1.5,5)'::numrange < '[2024-01-01,2024-02-29]'::daterange
SELECT '[1.5,5)'::numrange + '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '[1.5,5)'::numrange < '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '[2024-01-01,2024-02-29]'::daterange + true
SELECT '[2024-01-01,2024-02-29]'::daterange + 7::int2
SELECT '[2024-01-01,2024-02-29]'::daterange + 5
SELECT '[2024-01-01,2024-02-29]'::daterange + 12::int8
SELECT '[2024-01-01,2024-02-29]'::daterange < 1.5::float4
SELECT '[2024-01-01,2024-02-29]'::daterange < 2.5::float8
SELECT '[2024-01-01,2024-02-29]'::daterange || 3.75
SELECT '[2024-01-01,2024-02-29]'::daterange + 'abc'::text
SELECT '[2024-01-01,2024-02-29]'::daterange || 'abc'::varchar
SELECT '[2024-01-01,2024-02-29]'::daterange < 'ab'::char(4)
SELECT '[2024-01-01,2024-02-29]'::daterange + 'x'::"char"
SELECT '[2024-01-01,2024-02-29]'::daterange + 'abc'::name
SELECT '[2024-01-01,2024-02-29]'::daterange = '\x6162'::bytea
SELECT '[2024-01-01,2024-02-29]'::daterange + '2024-02-29'::date
SELECT '[2024-01-01,2024-02-29]'::daterange + '12:34:56.789'::time
SELECT '[2024-01-01,2024-02-29]'::daterange < '12:34:56+02'::timetz
SELECT '[2024-01-01,2024-02-29]'::daterange = '2024-02-29 12:34:56.789'::timestamp
SELECT '[2024-01-01,2024-02-29]'::daterange || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '[2024-01-01,2024-02-29]'::daterange + '1 mon 2 days 03:04:05.5'::interval
SELECT '[2024-01-01,2024-02-29]'::daterange + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '[2024-01-01,2024-02-29]'::daterange = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '[2024-01-01,2024-02-29]'::daterange + '{"a": 1}'::json
SELECT '[2024-01-01,2024-02-29]'::daterange || 5::oid
SELECT '[2024-01-01,2024-02-29]'::daterange = array[1, 2, 3]
SELECT '[2024-01-01,2024-02-29]'::daterange = array['a', 'b']
SELECT '[2024-01-01,2024-02-29]'::daterange || '{1.5,-2}'::float8[]
SELECT '[2024-01-01,2024-02-29]'::daterange = '{10,20}'::int8[]
SELECT '[2024-01-01,2024-02-29]'::daterange = '{t,f}'::bool[]
SELECT '[2024-01-01,2024-02-29]'::daterange + '{1.5,-2}'::numeric[]
SELECT '[2024-01-01,2024-02-29]'::daterange = '{2024-02-29,NULL}'::date[]
SELECT '[2024-01-01,2024-02-29]'::daterange = '[1,5)'::int4range
SELECT '[2024-01-01,2024-02-29]'::daterange = '[1,5000000000)'::int8range
SELECT '[2024-01-01,2024-02-29]'::daterange + '[1.5,5)'::numrange
SELECT '[2024-01-01,2024-02-29]'::daterange || '[2024-01-01,2024-02-29 12:00]'::tsrange
SELECT '[2024-01-01,2024-02-29]'::daterange = '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < true
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 7::int2
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 5
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 12::int8
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange + 1.5::float4
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange + 2.5::float8
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange = 3.75
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 'abc'::text
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange = 'abc'::varchar
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange + 'ab'::char(4)
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 'x'::"char"
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 'abc'::name
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '\x6162'::bytea
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < '2024-02-29'::date
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < '12:34:56.789'::time
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange + '12:34:56+02'::timetz
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '2024-02-29 12:34:56.789'::timestamp
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < '1 mon 2 days 03:04:05.5'::interval
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < '{"a": 1}'::json
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange = 5::oid
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || array[1, 2, 3]
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || array['a', 'b']
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange = '{1.5,-2}'::float8[]
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '{10,20}'::int8[]
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '{t,f}'::bool[]
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < '{1.5,-2}'::numeric[]
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '{2024-02-29,NULL}'::date[]
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '[1,5)'::int4range
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '[1,5000000000)'::int8range
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange < '[1.5,5)'::numrange
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '[2024-01-01,2024-02-29]'::daterange
SELECT '[2024-01-01,2024-02-29 12:00]'::tsrange || '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + true
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 7::int2
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 5
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 12::int8
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange < 1.5::float4
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange < 2.5::float8
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange || 3.75
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 'abc'::text
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange || 'abc'::varchar
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange < 'ab'::char(4)
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 'x'::"char"
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 'abc'::name
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '\x6162'::bytea
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + '2024-02-29'::date
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + '12:34:56.789'::time
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange < '12:34:56+02'::timetz
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '2024-02-29 12:34:56.789'::timestamp
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange || '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + '1 mon 2 days 03:04:05.5'::interval
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + '{"a": 1}'::json
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange || 5::oid
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = array[1, 2, 3]
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = array['a', 'b']
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange || '{1.5,-2}'::float8[]
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '{10,20}'::int8[]
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '{t,f}'::bool[]
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + '{1.5,-2}'::numeric[]
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '{2024-02-29,NULL}'::date[]
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '[1,5)'::int4range
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '[1,5000000000)'::int8range
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange + '[1.5,5)'::numrange
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange = '[2024-01-01,2024-02-29]'::daterange
SELECT '[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange || '[2024-01-01,2024-02-29 12:00]'::tsrange
