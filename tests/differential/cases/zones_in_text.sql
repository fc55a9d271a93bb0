-- Zones within text of dates and times: names, abbreviations, and words that are none.
select '2024-01-01 10:00 Europe/Berlin'::timestamptz
select '2024-01-01 10:00 Europe/Berlin'::timestamp
select '2024-01-01 10:00 Europe/Berlin'::date
select '2024-01-01 10:00 Europe/Berlin'::time
select '2024-07-01 10:00 europe/berlin'::timestamptz
select '2024-07-01 10:00 europe/berlin'::timestamp
select '2024-07-01 10:00 europe/berlin'::date
select '2024-07-01 10:00 europe/berlin'::time
select '2024-01-01 10:00 EST'::timestamptz
select '2024-01-01 10:00 EST'::timestamp
select '2024-01-01 10:00 EST'::date
select '2024-01-01 10:00 EST'::time
select '2024-07-01 10:00 PST8PDT'::timestamptz
select '2024-07-01 10:00 PST8PDT'::timestamp
select '2024-07-01 10:00 PST8PDT'::date
select '2024-07-01 10:00 PST8PDT'::time
select '2024-01-01 10:00 PST8PDT'::timestamptz
select '2024-01-01 10:00 PST8PDT'::timestamp
select '2024-01-01 10:00 PST8PDT'::date
select '2024-01-01 10:00 PST8PDT'::time
select '2024-01-01 10:00:00.5America/New_York'::timestamptz
select '2024-01-01 10:00:00.5America/New_York'::timestamp
select '2024-01-01 10:00:00.5America/New_York'::date
select '2024-01-01 10:00:00.5America/New_York'::time
select '2024-01-01 Europe/Berlin'::timestamptz
select '2024-01-01 Europe/Berlin'::timestamp
select '2024-01-01 Europe/Berlin'::date
select '2024-01-01 Europe/Berlin'::time
select '2024-01-01 EST'::timestamptz
select '2024-01-01 EST'::timestamp
select '2024-01-01 EST'::date
select '2024-01-01 EST'::time
select '2024-01-01T10:00Europe/Berlin'::timestamptz
select '2024-01-01T10:00Europe/Berlin'::timestamp
select '2024-01-01T10:00Europe/Berlin'::date
select '2024-01-01T10:00Europe/Berlin'::time
select '2024-01-01 10:00 am EST'::timestamptz
select '2024-01-01 10:00 am EST'::timestamp
select '2024-01-01 10:00 am EST'::date
select '2024-01-01 10:00 am EST'::time
select '2024-01-01 10:00 Foo/Bar'::timestamptz
select '2024-01-01 10:00 Foo/Bar'::timestamp
select '2024-01-01 10:00 Foo/Bar'::date
select '2024-01-01 10:00 Foo/Bar'::time
select '2024-01-01 10:00 Foo'::timestamptz
select '2024-01-01 10:00 Foo'::timestamp
select '2024-01-01 10:00 Foo'::date
select '2024-01-01 10:00 Foo'::time
select '2024-01-01 Foo/Bar'::timestamptz
select '2024-01-01 Foo/Bar'::timestamp
select '2024-01-01 Foo/Bar'::date
select '2024-01-01 Foo/Bar'::time
select '2024-01-01 10:00 GMT+3'::timestamptz
select '2024-01-01 10:00 GMT+3'::timestamp
select '2024-01-01 10:00 GMT+3'::date
select '2024-01-01 10:00 GMT+3'::time
select '2024-01-01 10:00 UTC+3'::timestamptz
select '2024-01-01 10:00 UTC+3'::timestamp
select '2024-01-01 10:00 UTC+3'::date
select '2024-01-01 10:00 UTC+3'::time
select '2024-01-01 10:00 Japan'::timestamptz
select '2024-01-01 10:00 Japan'::timestamp
select '2024-01-01 10:00 Japan'::date
select '2024-01-01 10:00 Japan'::time
select '2024-01-01 10:00 MSK'::timestamptz
select '2024-01-01 10:00 MSK'::timestamp
select '2024-01-01 10:00 MSK'::date
select '2024-01-01 10:00 MSK'::time
select '2024-01-01 10:00 Zulu'::timestamptz
select '2024-01-01 10:00 Zulu'::timestamp
select '2024-01-01 10:00 Zulu'::date
select '2024-01-01 10:00 Zulu'::time
select '2024-01-01 10:00 z'::timestamptz
select '2024-01-01 10:00 z'::timestamp
select '2024-01-01 10:00 z'::date
select '2024-01-01 10:00 z'::time
select '2024-01-01 10:00 IST'::timestamptz
select '2024-01-01 10:00 IST'::timestamp
select '2024-01-01 10:00 IST'::date
select '2024-01-01 10:00 IST'::time
select '2024-01-01 10:00 Etc/GMT+5'::timestamptz
select '2024-01-01 10:00 Etc/GMT+5'::timestamp
select '2024-01-01 10:00 Etc/GMT+5'::date
select '2024-01-01 10:00 Etc/GMT+5'::time
select '2024-01-01 10:00 EST5EDT'::timestamptz
select '2024-01-01 10:00 EST5EDT'::timestamp
select '2024-01-01 10:00 EST5EDT'::date
select '2024-01-01 10:00 EST5EDT'::time
select '2024-01-01 10:00 EST5'::timestamptz
select '2024-01-01 10:00 EST5'::timestamp
select '2024-01-01 10:00 EST5'::date
select '2024-01-01 10:00 EST5'::time
select '2024-01-01 10:00 America/Port-au-Prince'::timestamptz
select '2024-01-01 10:00 America/Port-au-Prince'::timestamp
select '2024-01-01 10:00 America/Port-au-Prince'::date
select '2024-01-01 10:00 America/Port-au-Prince'::time
select '2024-01-01 10:00 America/North_Dakota/Center'::timestamptz
select '2024-01-01 10:00 America/North_Dakota/Center'::timestamp
select '2024-01-01 10:00 America/North_Dakota/Center'::date
select '2024-01-01 10:00 America/North_Dakota/Center'::time
select '2024-03-31 02:30 Europe/Berlin'::timestamptz
select '2024-03-31 02:30 Europe/Berlin'::timestamp
select '2024-03-31 02:30 Europe/Berlin'::date
select '2024-03-31 02:30 Europe/Berlin'::time
select '2024-10-27 02:30 Europe/Berlin'::timestamptz
select '2024-10-27 02:30 Europe/Berlin'::timestamp
select '2024-10-27 02:30 Europe/Berlin'::date
select '2024-10-27 02:30 Europe/Berlin'::time
select '2024-01-01 10:00 Europe/Berlin BC'::timestamptz
select '2024-01-01 10:00 Europe/Berlin BC'::timestamp
select '2024-01-01 10:00 Europe/Berlin BC'::date
select '2024-01-01 10:00 Europe/Berlin BC'::time
select '0044-01-01 10:00 EST BC'::timestamptz
select '0044-01-01 10:00 EST BC'::timestamp
select '0044-01-01 10:00 EST BC'::date
select '0044-01-01 10:00 EST BC'::time
select '2024-01-01 10:00 BC'::timestamptz
select '2024-01-01 10:00 BC'::timestamp
select '2024-01-01 10:00 BC'::date
select '2024-01-01 10:00 BC'::time
select '2024-01-01 10:00 CET'::timestamptz
select '2024-01-01 10:00 CET'::timestamp
select '2024-01-01 10:00 CET'::date
select '2024-01-01 10:00 CET'::time
select '2024-07-01 10:00 CET'::timestamptz
select '2024-07-01 10:00 CET'::timestamp
select '2024-07-01 10:00 CET'::date
select '2024-07-01 10:00 CET'::time
select '2024-07-01 10:00 MET'::timestamptz
select '2024-07-01 10:00 MET'::timestamp
select '2024-07-01 10:00 MET'::date
select '2024-07-01 10:00 MET'::time
select '2024-01-01 10:00 W-SU'::timestamptz
select '2024-01-01 10:00 W-SU'::timestamp
select '2024-01-01 10:00 W-SU'::date
select '2024-01-01 10:00 W-SU'::time
select '2024-01-01 10:00 NZ-CHAT'::timestamptz
select '2024-01-01 10:00 NZ-CHAT'::timestamp
select '2024-01-01 10:00 NZ-CHAT'::date
select '2024-01-01 10:00 NZ-CHAT'::time
select '2024-01-01 10:00 Asia/Ust-Nera'::timestamptz
select '2024-01-01 10:00 Asia/Ust-Nera'::timestamp
select '2024-01-01 10:00 Asia/Ust-Nera'::date
select '2024-01-01 10:00 Asia/Ust-Nera'::time
select '2024-01-01 10:00 PST DST'::timestamptz
select '2024-01-01 10:00 PST DST'::timestamp
select '2024-01-01 10:00 PST DST'::date
select '2024-01-01 10:00 PST DST'::time
select '2024-01-01 10:00 ALLBALLS'::timestamptz
select '2024-01-01 10:00 ALLBALLS'::timestamp
select '2024-01-01 10:00 ALLBALLS'::date
select '2024-01-01 10:00 ALLBALLS'::time
select '2024-01-01 10:00 today'::timestamptz
select '2024-01-01 10:00 today'::timestamp
select '2024-01-01 10:00 today'::date
select '2024-01-01 10:00 today'::time
select '2024-01-01 10:00 monday'::timestamptz
select '2024-01-01 10:00 monday'::timestamp
select '2024-01-01 10:00 monday'::date
select '2024-01-01 10:00 monday'::time
select '2024-01-01 10:00 mon'::timestamptz
select '2024-01-01 10:00 mon'::timestamp
select '2024-01-01 10:00 mon'::date
select '2024-01-01 10:00 mon'::time
select '2024-01-01 10:00 x'::timestamptz
select '2024-01-01 10:00 x'::timestamp
select '2024-01-01 10:00 x'::date
select '2024-01-01 10:00 x'::time
select '2024-01-01 10:00 dst'::timestamptz
select '2024-01-01 10:00 dst'::timestamp
select '2024-01-01 10:00 dst'::date
select '2024-01-01 10:00 dst'::time
select '2024-01-01 10:00 a'::timestamptz
select '2024-01-01 10:00 a'::timestamp
select '2024-01-01 10:00 a'::date
select '2024-01-01 10:00 a'::time
select '2024-01-01 10:00 q'::timestamptz
select '2024-01-01 10:00 q'::timestamp
select '2024-01-01 10:00 q'::date
select '2024-01-01 10:00 q'::time
select '2024-01-01 10:00 y'::timestamptz
select '2024-01-01 10:00 y'::timestamp
select '2024-01-01 10:00 y'::date
select '2024-01-01 10:00 y'::time
select '2024-01-01 10:00 d'::timestamptz
select '2024-01-01 10:00 d'::timestamp
select '2024-01-01 10:00 d'::date
select '2024-01-01 10:00 d'::time
select '2024-01-01 10:00 h'::timestamptz
select '2024-01-01 10:00 h'::timestamp
select '2024-01-01 10:00 h'::date
select '2024-01-01 10:00 h'::time
select '2024-01-01 10:00 t'::timestamptz
select '2024-01-01 10:00 t'::timestamp
select '2024-01-01 10:00 t'::date
select '2024-01-01 10:00 t'::time
select '2024-01-01 10:00 at'::timestamptz
select '2024-01-01 10:00 at'::timestamp
select '2024-01-01 10:00 at'::date
select '2024-01-01 10:00 at'::time
select '2024-01-01 10:00 on'::timestamptz
select '2024-01-01 10:00 on'::timestamp
select '2024-01-01 10:00 on'::date
select '2024-01-01 10:00 on'::time
select '2024-01-01 10:00 j'::timestamptz
select '2024-01-01 10:00 j'::timestamp
select '2024-01-01 10:00 j'::date
select '2024-01-01 10:00 j'::time
select '2024-01-01 10:00 jul'::timestamptz
select '2024-01-01 10:00 jul'::timestamp
select '2024-01-01 10:00 jul'::date
select '2024-01-01 10:00 jul'::time
select '2024-01-01 10:00 Factory'::timestamptz
select '2024-01-01 10:00 Factory'::timestamp
select '2024-01-01 10:00 Factory'::date
select '2024-01-01 10:00 Factory'::time
select '2024-01-01 10:00 posixrules'::timestamptz
select '2024-01-01 10:00 posixrules'::timestamp
select '2024-01-01 10:00 posixrules'::date
select '2024-01-01 10:00 posixrules'::time
select '2024-01-01 10:00 localtime'::timestamptz
select '2024-01-01 10:00 localtime'::timestamp
select '2024-01-01 10:00 localtime'::date
select '2024-01-01 10:00 localtime'::time
select '2024-01-01 10:00 europe/berlin.'::timestamptz
select '2024-01-01 10:00 europe/berlin.'::timestamp
select '2024-01-01 10:00 europe/berlin.'::date
select '2024-01-01 10:00 europe/berlin.'::time
select '2024-01-01 10:00 Europe/Berlin foo'::timestamptz
select '2024-01-01 10:00 Europe/Berlin foo'::timestamp
select '2024-01-01 10:00 Europe/Berlin foo'::date
select '2024-01-01 10:00 Europe/Berlin foo'::time
select '2024-01-01 10:00 EST EST'::timestamptz
select '2024-01-01 10:00 EST EST'::timestamp
select '2024-01-01 10:00 EST EST'::date
select '2024-01-01 10:00 EST EST'::time
select '2024-01-01 10:00 +02 EST'::timestamptz
select '2024-01-01 10:00 +02 EST'::timestamp
select '2024-01-01 10:00 +02 EST'::date
select '2024-01-01 10:00 +02 EST'::time
select '2024-01-01 10:00 bst'::timestamptz
select '2024-01-01 10:00 bst'::timestamp
select '2024-01-01 10:00 bst'::date
select '2024-01-01 10:00 bst'::time
select '2024-01-01 10:00 EDT'::timestamptz
select '2024-01-01 10:00 EDT'::timestamp
select '2024-01-01 10:00 EDT'::date
select '2024-01-01 10:00 EDT'::time
select '2024-01-01 t'::timestamptz
select '2024-01-01 t'::timestamp
select '2024-01-01 t'::date
select '2024-01-01 t'::time
select '2024-01-01 T10:00 EST'::timestamptz
select '2024-01-01 T10:00 EST'::timestamp
select '2024-01-01 T10:00 EST'::date
select '2024-01-01 T10:00 EST'::time
select '20240101 10:00 EST'::timestamptz
select '20240101 10:00 EST'::timestamp
select '20240101 10:00 EST'::date
select '20240101 10:00 EST'::time
select '20240101 EST'::timestamptz
select '20240101 EST'::timestamp
select '20240101 EST'::date
select '20240101 EST'::time
select '2024-01-01 10:00 ROC'::timestamptz
select '2024-01-01 10:00 ROC'::timestamp
select '2024-01-01 10:00 ROC'::date
select '2024-01-01 10:00 ROC'::time
select '2024-01-01 10:00 Eire'::timestamptz
select '2024-01-01 10:00 Eire'::timestamp
select '2024-01-01 10:00 Eire'::date
select '2024-01-01 10:00 Eire'::time
select '2024-01-01 10:00 GB-Eire'::timestamptz
select '2024-01-01 10:00 GB-Eire'::timestamp
select '2024-01-01 10:00 GB-Eire'::date
select '2024-01-01 10:00 GB-Eire'::time
select '2024-01-01 10:00 GMT0'::timestamptz
select '2024-01-01 10:00 GMT0'::timestamp
select '2024-01-01 10:00 GMT0'::date
select '2024-01-01 10:00 GMT0'::time
select '2024-01-01 10:00 GMT-0'::timestamptz
select '2024-01-01 10:00 GMT-0'::timestamp
select '2024-01-01 10:00 GMT-0'::date
select '2024-01-01 10:00 GMT-0'::time
select '2024-01-01 10:00 Etc/GMT-14'::timestamptz
select '2024-01-01 10:00 Etc/GMT-14'::timestamp
select '2024-01-01 10:00 Etc/GMT-14'::date
select '2024-01-01 10:00 Etc/GMT-14'::time
select '2024-01-01 10:00 WAST'::timestamptz
select '2024-01-01 10:00 WAST'::timestamp
select '2024-01-01 10:00 WAST'::date
select '2024-01-01 10:00 WAST'::time
select '2024-01-01 10:00 ChST'::timestamptz
select '2024-01-01 10:00 ChST'::timestamp
select '2024-01-01 10:00 ChST'::date
select '2024-01-01 10:00 ChST'::time
select '2024-01-01 10:00 now'::timestamptz
select '2024-01-01 10:00 now'::timestamp
select '2024-01-01 10:00 now'::date
select '2024-01-01 10:00 now'::time
select '2024-01-01 10:00 epoch'::timestamptz
select '2024-01-01 10:00 epoch'::timestamp
select '2024-01-01 10:00 epoch'::date
select '2024-01-01 10:00 epoch'::time
select '2024-01-01 10:00 infinity'::timestamptz
select '2024-01-01 10:00 infinity'::timestamp
select '2024-01-01 10:00 infinity'::date
select '2024-01-01 10:00 infinity'::time
select '2024-01-01 10:00 yesterday'::timestamptz
select '2024-01-01 10:00 yesterday'::timestamp
select '2024-01-01 10:00 yesterday'::date
select '2024-01-01 10:00 yesterday'::time
select '2024-01-01 10:00 LMT'::timestamptz
select '2024-01-01 10:00 LMT'::timestamp
select '2024-01-01 10:00 LMT'::date
select '2024-01-01 10:00 LMT'::time
select '2024-01-01 10:00 UCT'::timestamptz
select '2024-01-01 10:00 UCT'::timestamp
select '2024-01-01 10:00 UCT'::date
select '2024-01-01 10:00 UCT'::time
select '2024-01-01 10:00 utc'::timestamptz
select '2024-01-01 10:00 utc'::timestamp
select '2024-01-01 10:00 utc'::date
select '2024-01-01 10:00 utc'::time
select '2024-01-01 10:00 Universal'::timestamptz
select '2024-01-01 10:00 Universal'::timestamp
select '2024-01-01 10:00 Universal'::date
select '2024-01-01 10:00 Universal'::time
select '2024-01-01 10:00 s'::timestamptz
select '2024-01-01 10:00 s'::timestamp
select '2024-01-01 10:00 s'::date
select '2024-01-01 10:00 s'::time
select '2024-01-01 10:00 m'::timestamptz
select '2024-01-01 10:00 m'::timestamp
select '2024-01-01 10:00 m'::date
select '2024-01-01 10:00 m'::time
select '2024-01-01 10:00 era'::timestamptz
select '2024-01-01 10:00 era'::timestamp
select '2024-01-01 10:00 era'::date
select '2024-01-01 10:00 era'::time
select '2024-01-01 10:00 week'::timestamptz
select '2024-01-01 10:00 week'::timestamp
select '2024-01-01 10:00 week'::date
select '2024-01-01 10:00 week'::time
select '2024-01-01 10:00 day'::timestamptz
select '2024-01-01 10:00 day'::timestamp
select '2024-01-01 10:00 day'::date
select '2024-01-01 10:00 day'::time
select '2024-01-01 10:00 hour'::timestamptz
select '2024-01-01 10:00 hour'::timestamp
select '2024-01-01 10:00 hour'::date
select '2024-01-01 10:00 hour'::time
select '2024-01-01 10:00 isodow'::timestamptz
select '2024-01-01 10:00 isodow'::timestamp
select '2024-01-01 10:00 isodow'::date
select '2024-01-01 10:00 isodow'::time
select '2024-01-01 10:00 timezone'::timestamptz
select '2024-01-01 10:00 timezone'::timestamp
select '2024-01-01 10:00 timezone'::date
select '2024-01-01 10:00 timezone'::time
select '2024-01-01 10:00 microsecon'::timestamptz
select '2024-01-01 10:00 microsecon'::timestamp
select '2024-01-01 10:00 microsecon'::date
select '2024-01-01 10:00 microsecon'::time
select '10:00 Europe/Berlin'::time
select '10:00 Europe/Berlin'::date
select '10:00 EST'::time
select '10:00 EST'::date
select '10:00 CET'::time
select '10:00 CET'::date
select '10:00 Foo'::time
select '10:00 Foo'::date
select '10:00 Foo/Bar'::time
select '10:00 Foo/Bar'::date
select '10:00 Japan'::time
select '10:00 Japan'::date
select '10:00 PST8PDT'::time
select '10:00 PST8PDT'::date
select '10:00 MSK'::time
select '10:00 MSK'::date
select '10:00 UTC'::time
select '10:00 UTC'::date
select '10:00EST'::time
select '10:00EST'::date
select '10:00 Etc/GMT+5'::time
select '10:00 Etc/GMT+5'::date
select '10:00 dow'::time
select '10:00 dow'::date
select 'Europe/Berlin'::time
select 'Europe/Berlin'::date
select 'EST'::time
select 'EST'::date
select '2024-01-01 10:00 Europe_Berlin'::timestamptz
select '2024-01-01 10:00 Europe_Berlin'::timestamp
select '2024-01-01 10:00 Europe_Berlin'::date
select '2024-01-01 10:00 Europe_Berlin'::time
select '2024-01-01 10:00 America/Argentina/Buenos_Aires'::timestamptz
select '2024-01-01 10:00 America/Argentina/Buenos_Aires'::timestamp
select '2024-01-01 10:00 America/Argentina/Buenos_Aires'::date
select '2024-01-01 10:00 America/Argentina/Buenos_Aires'::time
select '2024-01-01 10:00 America/Argentina/Buenos_aires:'::timestamptz
select '2024-01-01 10:00 America/Argentina/Buenos_aires:'::timestamp
select '2024-01-01 10:00 America/Argentina/Buenos_aires:'::date
select '2024-01-01 10:00 America/Argentina/Buenos_aires:'::time
select '1900-01-01 10:00 America/New_York'::timestamptz
select '1900-01-01 10:00 America/New_York'::timestamp
select '1900-01-01 10:00 America/New_York'::date
select '1900-01-01 10:00 America/New_York'::time
select '1880-01-01 10:00 Europe/Berlin'::timestamptz
select '1880-01-01 10:00 Europe/Berlin'::timestamp
select '1880-01-01 10:00 Europe/Berlin'::date
select '1880-01-01 10:00 Europe/Berlin'::time
select '2500-07-01 10:00 Europe/Berlin'::timestamptz
select '2500-07-01 10:00 Europe/Berlin'::timestamp
select '2500-07-01 10:00 Europe/Berlin'::date
select '2500-07-01 10:00 Europe/Berlin'::time
select '2024-01-01 10:00 SGT'::timestamptz
select '2024-01-01 10:00 SGT'::timestamp
select '2024-01-01 10:00 SGT'::date
select '2024-01-01 10:00 SGT'::time
select '2024-01-01 10:00 +02:00'::timestamptz
select '2024-01-01 10:00 +02:00'::timestamp
select '2024-01-01 10:00 +02:00'::date
select '2024-01-01 10:00 +02:00'::time
select '2024-01-01 10:00 BST8'::timestamptz
select '2024-01-01 10:00 BST8'::timestamp
select '2024-01-01 10:00 BST8'::date
select '2024-01-01 10:00 BST8'::time
select '2024-01-01 10:00 est5edt,M3.2.0,M11.1.0'::timestamptz
select '2024-01-01 10:00 est5edt,M3.2.0,M11.1.0'::timestamp
select '2024-01-01 10:00 est5edt,M3.2.0,M11.1.0'::date
select '2024-01-01 10:00 est5edt,M3.2.0,M11.1.0'::time
select '2024-01-01 10:00 <foo>3'::timestamptz
select '2024-01-01 10:00 <foo>3'::timestamp
select '2024-01-01 10:00 <foo>3'::date
select '2024-01-01 10:00 <foo>3'::time
set timezone = 'America/New_York'
select '2024-07-01 10:00 EST'::timestamptz, '2024-07-01 10:00 EST'::timestamp, '2024-07-01 10:00 EST'::date
select '2024-07-01 10:00 EDT'::timestamptz, '2024-07-01 10:00 EDT'::timestamp, '2024-07-01 10:00 EDT'::date
select '2024-07-01 10:00 CET'::timestamptz, '2024-07-01 10:00 CET'::timestamp, '2024-07-01 10:00 CET'::date
select '2024-07-01 10:00 Europe/Berlin'::timestamptz, '2024-07-01 10:00 Europe/Berlin'::timestamp, '2024-07-01 10:00 Europe/Berlin'::date
select '2024-07-01 10:00 UTC'::timestamptz, '2024-07-01 10:00 UTC'::timestamp, '2024-07-01 10:00 UTC'::date
select '2024-07-01 10:00'::timestamptz, '2024-07-01 10:00'::timestamp, '2024-07-01 10:00'::date
select '1880-01-01 10:00 LMT'::timestamptz, '1880-01-01 10:00 LMT'::timestamp, '1880-01-01 10:00 LMT'::date
select '2024-07-01 10:00 MSK'::timestamptz, '2024-07-01 10:00 MSK'::timestamp, '2024-07-01 10:00 MSK'::date
set timezone = 'Asia/Kolkata'
select '2024-07-01 10:00 IST'::timestamptz
select '2024-07-01 10:00 EST'::timestamptz
set timezone = 'UTC'
select x::timestamptz, x::date from (values ('2024-03-10 02:30 America/New_York'), ('2024-11-03 01:30 America/New_York'), (null), ('2024-07-01 12:00 +05:30'), ('2024-07-01 12:00 Asia/Kolkata'), ('2024-07-01 EDT')) as v (x)
select '{"2024-07-01 10:00 Europe/Berlin",2024-07-01 EST}'::timestamptz[]
select '[2024-07-01 10:00 Europe/Berlin,2024-07-02 10:00 EST)'::tstzrange
select pg_input_is_valid('2024-07-01 10:00 Foo/Bar', 'timestamptz'), pg_input_is_valid('2024-07-01 10:00 Asia/Tokyo', 'timestamptz')
select timestamptz '2024-07-01 10:00 Asia/Tokyo' = timestamp '2024-07-01 10:00' at time zone 'Asia/Tokyo'
select timestamp '2024-07-01 10:00' at time zone 'aedt', timestamp '2024-07-01 10:00' at time zone 'npt', timestamp '2024-07-01 10:00' at time zone 'MSK'
