-- Reasons say why, not how long from when they were written; a pause says why, too.

ALTER TABLE rate_groups ADD COLUMN paused_because TEXT NOT NULL DEFAULT 'asked';

UPDATE schedule SET reason = substr(reason, instr(reason, ', ') + 2) WHERE reason LIKE 'in %, %';
UPDATE schedule SET reason = 'because ' || reason WHERE reason IN ('added', 'somebody asked for it', 'somebody asked for all');
UPDATE visits SET reason = substr(reason, instr(reason, ', ') + 2) WHERE reason LIKE 'in %, %';
