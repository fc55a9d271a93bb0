SELECT p.id, p.name, p.starttime
FROM
    (
        SELECT id, name, extract(epoch FROM date_time)::bigint / 10 AS starttime
        FROM person
        GROUP BY 1, 2, 3
    ) p
    INNER JOIN (
        SELECT seller, extract(epoch FROM date_time)::bigint / 10 AS starttime
        FROM auction
        GROUP BY 1, 2
    ) a ON p.id = a.seller AND p.starttime = a.starttime
