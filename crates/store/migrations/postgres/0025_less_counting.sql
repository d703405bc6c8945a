-- Which icon a site has, without reading the icon.
CREATE INDEX icons_of_site ON icons (site, hash);

-- Entries between the two watermarks that were neither quiet nor marked; NULL when some were deleted or marked since.
-- In place of loud_between, for which all marks had to be counted.
ALTER TABLE sweep_feeds ADD COLUMN unmarked_between BIGINT;
