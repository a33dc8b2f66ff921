-- Candidates and findings are looked up by the id of their asset, as the asset and its placements are (0041), and decisions
-- by their own. Of a tenant that the planner does not know, any index that begins with the tenant seems as good as the one
-- that knows the id too, and is read for the whole tenant. A hash knows nothing but the id, and is the cheapest whatever the
-- planner believes.
create index candidates_by_asset on candidates using hash (asset_id);
create index findings_by_asset on findings using hash (asset_id);
create index decisions_by_id on decisions using hash (decision_id);
