CREATE TABLE person (
    id bigint, name text, email_address text, credit_card text, city text, state text, date_time timestamp, extra text
);
CREATE TABLE auction (
    id bigint, item_name text, description text, initial_bid bigint, reserve bigint, date_time timestamp,
    expires timestamp, seller bigint, category bigint, extra text
);
CREATE TABLE bid (
    auction bigint, bidder bigint, price bigint, channel text, url text, date_time timestamp, extra text
);
CREATE TABLE side_input (key bigint, value text);
