// Bodies of the API that its OpenAPI document does not describe (yet), and what later parts of the server will add. A field that
// the server does not send is undefined, and whatever shows it stays away.
import type { BookmarkBody, CategoryBody, FeedBody, JobBody, PostBody, Settings as ServerSettings, StatusBody, WholePost } from "./api.d.ts";

export type Role = "user" | "moderator" | "admin" | "super_admin";
export interface User { id: number; name: string; role: Role }
export interface Me { authenticated: true; user: User; via: string; csrf_token: string | null; expires_at: string | null }
export interface AuthOptions { username_needed?: boolean; oidc?: boolean | { name: string } | null; setup_needed?: boolean }

/** What the language part and the parser add to a post in a list. */
export interface Calm {
  /** Only where it differs from the title. */
  calm_title?: string | null;
  /** Of the original title, 0 calm to 1 loud. */
  framing_score?: number | null;
  image?: string | null;
  language?: string | null;
  comments_url?: string | null;
  enclosure_kind?: string | null;
}
/** Where hits are, as UTF-16 offsets. */
export type Span = [number, number];
export interface Found { snippet?: string | null; highlights?: Span[]; title_highlights?: Span[] }

export const SCORES = ["framing", "clickbait", "persuasive", "hyper_stimulus", "speculative"] as const;
export type Score = (typeof SCORES)[number];
export type Framing = Record<Score | "overall", number> & { reasons?: Partial<Record<Score | "overall", string>>; provider?: string | null; model?: string | null };
export type Reason = "off" | "too_short" | "waiting" | "budget" | "provider" | "admin" | "private";
/** What the language part adds to a whole post. */
export interface Enrichment {
  summary_language?: string | null; summary_detail?: string | null; summary_provider?: string | null; summary_model?: string | null; summary_ms?: number | null;
  summary_at?: string | null; summary_queue_position?: number | null; framing?: Framing | null; calm_provider?: string | null; calm_model?: string | null; calm_reason?: string | null;
  answer?: { text: string; confidence: number } | null; topics?: string[]; ai_category?: string | null; ai_confidence?: number | null;
  sentiment?: { label: string; score: number | null } | null; updated_at?: string | null;
}
export interface AiStatus { enabled: boolean; provider: string | null; budget_state: "normal" | "reduced" | "queued" | "stopped" }
export interface Facets { feeds: { id: number; title: string; count: number }[]; categories: { id: number; name: string; count: number }[]; months: { month: string; count: number }[] }
export interface MassMark { undo: string; at: string; marked: number; can_restore: number; scope: "all" | "category" | "feed" | "feeds"; feed_ids: number[]; feeds: number }
export interface ImportRow { title: string | null; url: string; category?: string | null; state: "imported" | "skipped" | "failed"; reason: string | null; feed_id: number | null }

export type Post = PostBody & Calm & Found & { bookmark?: BookmarkBody };
export type Whole = WholePost & Calm & Enrichment & { bookmark?: BookmarkBody };
export type Feed = FeedBody & { position?: number; last_post_at?: string | null; posts_per_week?: number | null; weekly?: number[]; redirected_from?: string | null; ai?: string | null };
export type Status = StatusBody & { ai?: AiStatus };
export type Job = Omit<JobBody, "rows"> & { rows?: ImportRow[] };
export type Category = CategoryBody;
export type StoredSettings = ServerSettings & { app?: Record<string, unknown>; ai?: boolean };

export interface Session { id: number; created_at: string; expires_at: string; last_seen_at: string; address: string | null; agent: string | null; current: boolean }
export interface ApiKey { id: number; name: string; prefix: string; scopes: string[]; created_at: string; expires_at: string | null; last_used_at: string | null; token?: string }
export interface Account { id: number; name: string; role: Role; created_at: string; has_password: boolean; disabled: boolean; disabled_at: string | null; last_login_at: string | null }
