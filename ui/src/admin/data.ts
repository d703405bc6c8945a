// What the operator's room reads. Every endpoint may be missing on a server that is older than this app: then its section is not
// shown. Fields may be missing for the same reason.
import { ApiError, get } from "../http.ts";

export interface Totals { visits?: number; success?: number; not_modified?: number; error?: number; p95_ms?: number; bytes_saved?: number; visits_saved_per_day?: number }
export interface Bucket { at: string; success: number; not_modified: number; error: number; bytes?: number; bytes_saved?: number }
export interface HealthData { from: string; to: string; step_seconds: number; buckets: Bucket[]; totals: Totals; before?: Totals; errors?: { code: string; text?: string; count: number; last_at?: string }[]; top_feeds?: { id: number; title: string; new_entries: number }[] }
export interface HostData { host: string; errors: number; share?: number; first_at?: string; last_at?: string }
export interface AdminFeed { id: number; title: string; url: string; state: string; interval_seconds?: number; last_success_at?: string | null; errors?: number; readers?: number }
export interface Visit { at: string; status?: number | null; outcome: string; new_entries?: number; bytes?: number; validator?: string | null; took_ms?: number; interval_seconds?: number; ewma_seconds?: number | null; decision?: string }
export interface FeedDetail { feed: AdminFeed; sentence?: string; min_seconds?: number; max_seconds?: number; publisher_min_seconds?: number; visits: Visit[]; entries?: string[] }
export interface SystemData {
  version?: string; commit?: string; started_at?: string; last_backup_at?: string | null; migrations?: { at: number; of: number };
  database?: { kind?: string; bytes?: number; free_bytes?: number; parts?: { name: string; bytes: number }[] };
  queues?: { name: string; waiting: number; running?: number; oldest_seconds?: number | null; per_minute?: number }[];
  sinks?: { name: string; lag_seconds: number }[]; leases?: { work: string; holder?: string | null; ends_in_seconds?: number | null }[];
}
export interface AiData { currency?: string; spent?: number; cap?: number; today?: number; today_cap?: number; forecast?: number; cache_share?: number; waiting?: number; oldest_seconds?: number; days?: { day: string; spent: number }[]; features?: { name: string; model?: string; calls: number; tokens_in?: number; tokens_out?: number; cache_share?: number; cost?: number }[]; reasons?: { reason: string; count: number }[] }

/** `null` if the server has no such endpoint. */
export async function ask<T>(path: string, query: Record<string, string | number | undefined> = {}): Promise<T | null> {
  try { return await get<T>(path, query); } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 405 || error.status === 403)) return null;
    throw error;
  }
}
