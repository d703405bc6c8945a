// Bodies of the API that its OpenAPI document does not describe (yet), and what later parts of the server will add. A field that
// the server does not send is undefined, and whatever shows it stays away.
import type { BookmarkBody, CategoryBody, FeedBody, PostBody, Settings as ServerSettings, WholePost } from "./api.d.ts";

export type Role = "user" | "moderator" | "admin" | "super_admin";
export interface User { id: number; name: string; role: Role }
export interface Me { authenticated: true; user: User; via: string; csrf_token: string | null; expires_at: string | null }
export interface AuthOptions { username_needed?: boolean; oidc?: boolean | { name: string } | null; setup_needed?: boolean }

/** What the language part adds to a post. */
export interface Calm {
  calm_title?: string | null;
  /** 0 calm to 1 loud. */
  framing_score?: number | null;
  image?: string | null;
  language?: string | null;
  comments_url?: string | null;
  enclosure_kind?: "audio" | "video" | null;
  snippet?: string | null;
}
export interface Framing { framing?: number; clickbait?: number; persuasive?: number; hyper_stimulus?: number; speculative?: number; because?: string[] }
export interface SummaryMore { summary_model?: string | null; summary_ms?: number | null; summary_queue_position?: number | null; framing?: Framing | null; updated_at?: string | null }

export type Post = PostBody & Calm & { bookmark?: BookmarkBody };
export type Whole = WholePost & Calm & SummaryMore & { bookmark?: BookmarkBody };
export type Feed = FeedBody & { position?: number; last_post_at?: string | null; posts_per_week?: number | null; weekly?: number[]; redirected_from?: string | null };
export type Category = CategoryBody;
export type StoredSettings = ServerSettings & { app?: Record<string, unknown> };

export interface Session { id: number; created_at: string; expires_at: string; last_seen_at: string; address: string | null; agent: string | null; current: boolean }
export interface ApiKey { id: number; name: string; prefix: string; scopes: string[]; created_at: string; expires_at: string | null; last_used_at: string | null; token?: string }
export interface Account { id: number; name: string; role: Role; created_at: string; has_password: boolean; disabled: boolean; disabled_at: string | null; last_login_at: string | null }
