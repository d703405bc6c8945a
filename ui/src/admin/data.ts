// What the operator's room reads. Every endpoint may be missing on a server that is older than this app: then its section is not
// shown. Fields may be missing for the same reason.
import { ApiError, get } from "../http.ts";

export interface Totals { visits: number; success: number; not_modified: number; error: number; p95_ms?: number | null; p50_ms?: number | null; bytes?: number; bytes_saved?: number; new_entries?: number; visits_saved_per_day?: number }
export interface Bucket { at: string; success: number; not_modified: number; error: number; bytes?: number; bytes_saved?: number; new_entries?: number }
export interface HealthData {
  from: string; to: string; step_seconds: number; buckets: Bucket[]; totals: Totals; before?: Totals;
  errors?: { code: string; text?: string; count: number; last_at?: string; first_at?: string }[]; top_feeds?: { id: number; title: string; new_entries: number; url?: string }[];
}
/** `host` is empty for other hosts together. */
export interface HostData { host: string; errors: number; share?: number; first_at?: string | null; last_at?: string | null; visits?: number; busy?: number; bytes?: number; most_per_hour?: number }
export interface PolitenessData {
  from: string; to: string; visits: number; conditional_share: number; busy: number; errors: number; bytes: number; bytes_saved: number;
  rules: { floor_seconds: number; spacing_ms: number; at_once_per_group: number; robots: boolean; user_agent: string };
  paused: { group: string; until: string; reason: string }[]; hosts: { host: string; visits: number; errors: number; busy: number; most_per_hour: number; bytes: number }[];
}
export interface AdminFeed {
  id: number; title: string; url: string; state: string; interval_seconds?: number | null; last_success_at?: string | null; errors?: number; readers?: number; state_reason?: string | null; last_error?: string | null;
  last_status?: number | null; last_new_at?: string | null; next_at?: string | null; ewma_seconds?: number | null; reason?: string | null; host?: string | null; posts_per_week?: number | null; redirected_from?: string | null;
}
export interface Visit {
  at: string; status?: number | null; outcome: string; new_entries?: number; changed_entries?: number; bytes?: number | null; validator?: string | null; took_ms?: number | null; interval_seconds?: number | null;
  ewma_seconds?: number | null; decision?: string | null; error?: string | null; next_at?: string | null;
}
export interface FeedDetail {
  feed: AdminFeed; sentence?: string; min_seconds?: number; max_seconds?: number; publisher_min_seconds?: number | null; rules?: string[]; pause?: { until: string; reason: string } | null; visits: Visit[]; entries?: string[];
  publisher?: { ttl_seconds?: number | null; cache_control?: string | null; expires_at?: string | null; retry_after_at?: string | null; skip_hours?: number[]; skip_days?: number[]; etag?: boolean; last_modified?: boolean };
}
export interface SystemData {
  version?: string; commit?: string; started_at?: string; now?: string; last_backup_at?: string | null; migrations?: { at: number; of: number };
  database?: { kind?: string; bytes?: number; free_bytes?: number; parts?: { name: string; bytes: number }[] };
  queues?: { name: string; waiting: number; running?: number; oldest_seconds?: number | null; per_minute?: number; failed?: number }[];
  sinks?: { name: string; lag_seconds: number; entries?: number }[]; leases?: { work: string; holder?: string | null; ends_in_seconds?: number | null; count?: number }[];
  feeds?: { total: number; due: number; late_seconds: number }; rollups?: { since: string | null };
}
export interface AiData {
  month: string; currency: string; state: "normal" | "reduced" | "queued" | "stopped"; enabled: boolean; provider: string | null; model: string | null; spent: number; reserved?: number; cap: number | null; today: number; today_cap: number | null; forecast?: number | null;
  kinds: { kind: string; cap: number | null; spent: number; calls: number; failed: number; tokens_in: number; tokens_out: number; cached: number }[]; days: { day: string; spent: number; calls: number }[];
  models: { provider: string; model: string; kind: string; calls: number; tokens_in: number; tokens_out: number; spent: number }[]; reasons: { reason: string; count: number }[]; waiting: number; oldest_seconds?: number | null;
  breaker?: { state: "closed" | "open" | "half_open"; failures: number; opened_at?: string | null; retry_at?: string | null } | null; rate_limited_until?: string | null; pace_rpm?: number | null;
}
export interface AiMonth { month: string; spent: number; cap: number | null; calls: number; failed: number }

/** `null` if the server has no such endpoint. */
export async function ask<T>(path: string, query: Record<string, string | number | undefined> = {}): Promise<T | null> {
  try { return await get<T>(path, query); } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 405 || error.status === 403)) return null;
    throw error;
  }
}
