// Made by tools/api-types.mjs from /openapi.json. Do not edit.

/** A user, as administrators see them. */
export type AccountBody = {
  created_at: string;
  disabled: boolean;
  disabled_at?: string | null;
  has_password: boolean;
  id: number;
  last_login_at?: string | null;
  name: string;
  role: string;
};

/** What is done to a post. */
export type ActionShape = "mute" | "mark_read" | "star" | {
  /** It gets this label. */
  tag: string;
};

export type Address = {
  url?: string | null;
};

/** A feed of the installation. */
export type AdminFeed = {
  /** Failures in a row. */
  errors: number;
  /** Smoothed time between its entries. */
  ewma_seconds?: number | null;
  /** Whose courtesy budget it shares. */
  host: string;
  id: number;
  interval_seconds: number;
  last_error?: string | null;
  last_new_at?: string | null;
  last_status?: number | null;
  last_success_at?: string | null;
  next_at?: string | null;
  posts_per_week?: number | null;
  /** How many users follow it. */
  readers: number;
  /** Why then. */
  reason: string;
  /** The address it had before it moved for good. */
  redirected_from?: string | null;
  /** `active`, `paused`, `disabled`, `awaiting`, `rejected` or `gone`. */
  state: string;
  state_reason?: string | null;
  title: string;
  url: string;
};

/** What to change; what is left out stays as it is. */
export type AdminFeedChange = {
  /** Whether it is switched off. */
  suspended?: boolean | null;
};

/** A page of feeds. */
export type AdminFeeds = {
  feeds: AdminFeed[];
  total: number;
};

/** What makes summaries, and whether the budget allows them. */
export type AiBody = {
  /** `normal`, `reduced`, `queued` or `stopped`. */
  budget_state: string;
  enabled: boolean;
  /** `local`, or who is asked besides. */
  provider: string;
};

/** Whether the model is asked. */
export type AiBreakerBody = {
  failures: number;
  opened_at?: string | null;
  /** When it is tried again. */
  retry_at?: string | null;
  /** `closed`, `open` or `half`. */
  state: string;
};

/** Ceilings in dollars. What is left out stays; null is what the configuration says. */
export type AiBudgetBody = {
  day_cap?: number | null;
  kinds?: AiKindCaps;
  month_cap?: number | null;
};

/** A day. */
export type AiDayBody = {
  calls: number;
  day: string;
  spent: number;
};

/** Whether anything is made. */
export type AiEnabledBody = {
  /** False also where the configuration has switched it off. */
  enabled: boolean;
};

/** Past months, the latest first. */
export type AiHistoryBody = {
  months: AiMonthBody[];
};

/** What was made of one kind. */
export type AiKindBody = {
  /** Calls that were not needed. */
  cached: number;
  calls: number;
  cap?: number | null;
  failed: number;
  kind: string;
  spent: number;
  tokens_in: number;
  tokens_out: number;
};

/** Ceilings of single kinds. */
export type AiKindCaps = {
  deframe?: number | null;
  summary?: number | null;
  tags?: number | null;
};

/** A model and what it made. */
export type AiModelBody = {
  calls: number;
  kind: string;
  model: string;
  provider: string;
  spent: number;
  tokens_in: number;
  tokens_out: number;
};

/** A month. */
export type AiMonthBody = {
  calls: number;
  /** The ceiling that was set for this month alone. */
  cap?: number | null;
  failed: number;
  month: string;
  spent: number;
};

/** How often something happened. */
export type AiReasonBody = {
  count: number;
  reason: string;
};

/** The switch for all of it. */
export type AiSwitchBody = {
  enabled: boolean;
};

/** How a month stands. */
export type AiUsageBody = {
  breaker: AiBreakerBody;
  cap?: number | null;
  currency: string;
  days: AiDayBody[];
  enabled: boolean;
  /** What the month will have cost, if it goes on like this. */
  forecast?: number | null;
  kinds: AiKindBody[];
  model?: string | null;
  models: AiModelBody[];
  /** `2026-11`. */
  month: string;
  /** How long the oldest of them has waited. */
  oldest_seconds?: number | null;
  /** Calls a minute. */
  pace_rpm?: number | null;
  provider: string;
  rate_limited_until?: string | null;
  /** How attempts that made nothing ended. */
  reasons: AiReasonBody[];
  reserved: number;
  /** Spent, and reserved for calls under way. */
  spent: number;
  /** `normal`, `reduced`, `queued` or `stopped`. */
  state: string;
  today: number;
  today_cap?: number | null;
  /** Jobs that wait for the model. */
  waiting: number;
  /** Jobs that wait for the local toolkit. */
  waiting_local: number;
};

/** A quotation. */
export type AnswerBody = {
  /** 0 to 1. */
  confidence: number;
  text: string;
};

/** What was asked for. */
export type AskedBody = {
  /** `pending`, or `off`. */
  summary_status: string;
};

export type Batch = {
  feeds: NewFeed[];
};

/** What became of many feeds. */
export type BatchBody = {
  created: number;
  errors: string[];
  failed: number;
  ids: number[];
};

/** A page that a user saved: a snapshot, which outlives its post. */
export type BookmarkBody = {
  author?: string | null;
  /** Safe HTML. */
  content: string;
  created_at: string;
  feed_id?: number | null;
  feed_title: string;
  id: number;
  note?: string | null;
  /** Why it has no article, in the answer that saves it. */
  notice?: string | null;
  /** The post, while it is there. */
  post_id?: number | null;
  published_at?: string | null;
  tags: string[];
  title: string;
  url?: string | null;
};

export type BookmarkUpdate = {
  /** Null removes it. */
  note?: string | null;
  /** Exactly these. */
  tags?: string[] | null;
  title?: string | null;
};

/** A page of bookmarks, newest first. */
export type BookmarksBody = {
  bookmarks: BookmarkBody[];
  has_more: boolean;
  /** Ask for the next page with it, as `before`. */
  next_cursor?: string | null;
  /** How many there are on all pages. */
  total: number;
};

/** A folder of feeds. */
export type CategoryBody = {
  id: number;
  /** The permanent one, which takes what is in no other. */
  is_default: boolean;
  name: string;
  /** The folder it is in. */
  parent_id?: number | null;
  /** Order among its siblings. */
  position: number;
  /** Unread posts in it and in what is below it. */
  unread_count: number;
};

/** Posts of the feeds in a category. */
export type CategoryFacet = {
  count: number;
  id: number;
  name: string;
};

export type CategoryUpdate = {
  name?: string | null;
  /** Null moves it to the root; left out, it stays where it is. */
  parent_id?: number | null;
};

/** A password was changed. */
export type ChangedBody = {
  /** Of the new session, for who asked with one. */
  csrf_token?: string | null;
  ok: boolean;
};

/** Which of those it is about. */
export type ConditionShape = {
  /** For which all of these are true. */
  all: TestShape[];
} | {
  /** For which one of these is true. */
  any: TestShape[];
};

/** The database. */
export type DatabaseBody = {
  bytes: number;
  /** `SQLite` or `PostgreSQL`. */
  kind: string;
};

/** How much room a post has in a list. */
export type Density = "compact" | "comfortable" | "cards";

/** The feeds of a site. */
export type DiscoverBody = {
  /** The likeliest. */
  feed_url: string;
  feeds: FoundFeed[];
  title?: string | null;
};

/** The answer to a change that has nothing to say. */
export type Done = {
  /** Always true. */
  ok: boolean;
};

/** Whether there is an identity provider. */
export type EnabledBody = {
  enabled: boolean;
};

/** Something attached to a post. */
export type Enclosure = {
  length?: number | null;
  media_type?: string | null;
  url: string;
};

/** How many sessions have ended. */
export type Ended = {
  ended: number;
};

/** The body of an error, as the API's description shows it. */
export type ErrorBody = {
  /** For programs; never changes. */
  code: string;
  /** For people: what to do. */
  detail: string;
  /** The status in words. */
  error: string;
  /** What it is about. */
  id?: number | null;
  /** More for programs, where the code is not enough. */
  reason?: string | null;
};

export type Example = {
  /** Why. */
  because: string;
  post_id: number;
  title: string;
};

/** How many posts there are of each kind: of the newest 10,000 that were found. */
export type Facets = {
  categories: CategoryFacet[];
  /** Those with most. */
  feeds: FeedFacet[];
  /** The latest first. */
  months: MonthFacet[];
};

/** A feed that the user follows. */
export type FeedBody = {
  /** Whether its posts have summaries and calm titles: `off`, `local`, `model`, or null: as the instance does. */
  ai?: string | null;
  allow_duplicate_urls: boolean;
  category_id: number;
  created_at: string;
  description?: string | null;
  /** When it was switched off after failures. */
  disabled_at?: string | null;
  /** Failures since the last success. */
  error_count: number;
  feed_title?: string | null;
  fetch_state: FetchStateBody;
  /** `auto`, `always`, `never`, or null: as the feed's own rule says. */
  full_text?: string | null;
  /** Whether it has a proxy or credentials of its own; these are never shown. */
  has_access: boolean;
  /** The address of its icon here. */
  icon?: string | null;
  id: number;
  /** Whether its posts are shown among all. */
  in_all: boolean;
  language?: string | null;
  last_error?: string | null;
  /** When its newest post was published. */
  last_post_at?: string | null;
  /** Its place in the category. */
  position: number;
  post_count: number;
  posts_per_week?: number | null;
  /** Only this user sees it. */
  private: boolean;
  /** The address it had before it moved for good. */
  redirected_from?: string | null;
  site_url?: string | null;
  /** `newest`, `oldest`, or null: as everywhere. */
  sort?: string | null;
  starred_count: number;
  /** `active`, `paused`, `disabled`, `awaiting`, `rejected` or `gone`. */
  state: string;
  state_reason?: string | null;
  subscribed_at: string;
  /** Whether somebody switched it off. */
  suspended: boolean;
  /** The user's own title, else the feed's, else its address. */
  title: string;
  unread_count: number;
  updated_at: string;
  url: string;
  uuid: string;
};

/** A feed, explained. */
export type FeedDetail = {
  /** When its last entries were seen first. */
  entries: string[];
  feed: AdminFeed;
  /** The longest one. */
  max_seconds: number;
  /** The shortest interval that its rules allow. */
  min_seconds: number;
  pause?: FeedPause | null;
  publisher: PublisherBody;
  /** What its publisher asks for at least. */
  publisher_min_seconds?: number | null;
  /** What each rule said at the last decision. */
  rules: string[];
  /** Why it is visited when it is. */
  sentence: string;
  /** The newest first. */
  visits: VisitBody[];
};

/** Posts of a feed. */
export type FeedFacet = {
  count: number;
  id: number;
  title: string;
};

/** A feed that was found. */
export type FeedHit = {
  category_id: number;
  id: number;
  site_url?: string | null;
  title: string;
  unread_count: number;
  url: string;
};

/** The order of feeds in a category. */
export type FeedOrder = {
  category_id: number;
  ids: number[];
};

/** Its publisher is left alone. */
export type FeedPause = {
  reason: string;
  until: string;
};

/** What to change; what is left out stays as it is. */
export type FeedUpdate = {
  /** Whether the user sees summaries, topics and calm titles of its posts: `off`, `local` (never by a model), `model` (also of a private feed), or null for what the instance does. `false` is `off`, and `true` is null. */
  ai?: Record<string, unknown> | null;
  allow_duplicate_urls?: boolean | null;
  /** Null: the permanent category. */
  category_id?: number | null;
  full_text?: string | null;
  in_all?: boolean | null;
  /** `http://` or `socks5://`; empty or null takes it away. */
  proxy?: string | null;
  /** Policies of the feed's own, by key; null takes one away. `courant feed rule list` lists them. */
  rules?: Record<string, unknown> | null;
  sort?: string | null;
  /** Switches the feed off for everybody. */
  suspended?: boolean | null;
  /** Null: what the feed calls itself. */
  title?: string | null;
  /** Another address. Who may not change feeds moves only their own subscription. */
  url?: string | null;
};

/** The schedule as a whole. */
export type FeedsBody = {
  due: number;
  late_seconds: number;
  /** Visited at all. */
  total: number;
};

/** How its visits go. Times are unix seconds; 0 is unknown. */
export type FetchStateBody = {
  cache_control?: string | null;
  consecutive_failures: number;
  etag?: string | null;
  expires_at: number;
  interval_seconds: number;
  last_checked_at: number;
  last_error?: string | null;
  last_error_at: number;
  last_http_status: number;
  last_modified?: string | null;
  last_success_at: number;
  next_check_at: number;
  /** Why the next visit is when it is. */
  reason: string;
  retry_after_until: number;
};

/** A filter, and what came of it. */
export type FilterBody = {
  /** `"mute"`, `"mark_read"`, `"star"`, `{"tag": "later"}`. */
  actions: ActionShape[];
  /** `{"any": [{"words": ["foo"], "in": "title"}, {"author": "bar", "not": true}]}`, or `all` of them. */
  condition: ConditionShape;
  enabled: boolean;
  /** How many entries it was about. */
  hits: number;
  id: number;
  last_hit_at?: string | null;
  name: string;
  /** `"all"`, `{"category": 3}` or `{"feed": 7}`. */
  scope: ScopeShape;
};

export type FilterOrder = {
  /** In their new order. */
  ids: number[];
};

export type FilterTrial = {
  filter: FilterWish;
};

/** A filter to be made, or what one becomes. */
export type FilterWish = {
  actions: ActionShape[];
  condition: ConditionShape;
  enabled?: boolean;
  /** Needed, but for a trial. */
  name?: string;
  /** `"all"` if left out. */
  scope?: ScopeShape;
};

/** A first password. */
export type FirstPassword = {
  password: string;
  /** Of the link that was printed. */
  token: string;
};

/** A feed of a site. */
export type FoundFeed = {
  last_post_at?: string | null;
  posts: number;
  posts_per_week?: number | null;
  /** Its first headlines. */
  samples: string[];
  title?: string | null;
  url: string;
  /** Its dialect. */
  version: string;
  /** How it was found. */
  why: string;
};

/** Scores from 0 to 1, each with its reason. */
export type FramingBody = {
  clickbait: number;
  framing: number;
  hyper_stimulus: number;
  model: string;
  overall: number;
  persuasive: number;
  provider: string;
  /** By the same names. */
  reasons: Record<string, unknown>;
  speculative: number;
};

/** The health of the service. */
export type HealthBody = {
  /** `ok` or `error`. */
  db: string;
  /** `ok` or `error`. */
  status: string;
  /** A problem that an operator should look at. */
  warning?: string | null;
};

/** What the user has read. */
export type HistoryBody = {
  next_cursor?: string | null;
  posts: PostBody[];
};

/** The visits to a host. */
export type HostBody = {
  /** How often it asked us to come later. */
  busy: number;
  bytes: number;
  errors: number;
  /** The first failure. */
  first_at?: string | null;
  /** Empty for hosts that are not named: those of private feeds, and what exceeds the bound of an hour. */
  host: string;
  /** The last one. */
  last_at?: string | null;
  /** Visits in its busiest hour. */
  most_per_hour: number;
  /** Of all visits that failed in the span, from 0 to 1. */
  share: number;
  visits: number;
};

/** Ids of posts: in the order in which they arrived, or of a list, as differences. */
export type IdsBody = {
  /** There are more after them. */
  has_more: boolean;
  /** The ids. */
  ids: number[];
} | ViewIds;

/** When images of an article are loaded. */
export type Images = "show" | "click" | "never";

/** What an import has brought so far. */
export type ImportBody = {
  /** What could not be imported, and why. */
  errors: string[];
  /** Feeds that are new to the user. */
  imported: number;
  /** `/api/jobs/{id}` says how it goes on; null for a dry run. */
  job_id?: number | null;
  /** Feeds that the user had. */
  skipped: number;
};

/** The form with the file. It is read as it comes, and not as this type. */
export type ImportForm = {
  file: string;
};

/** What became of one line of a list. */
export type ImportRow = {
  feed_id?: number | null;
  reason?: string | null;
  /** `imported`, `skipped` or `failed`. */
  state: string;
  title?: string | null;
  /** Empty if it has none. */
  url: string;
};

/** Work in the background, and what it has brought. */
export type JobBody = {
  created_at: string;
  /** Feeds that are done. */
  done: number;
  errors: string[];
  finished_at?: string | null;
  id: number;
  imported: number;
  /** `import`. */
  kind: string;
  /** What became of each line, once it is done. */
  rows: ImportRow[];
  skipped: number;
  state: JobState;
  /** Feeds of the list. */
  total: number;
};

export type JobState = "pending" | "running" | "done" | "undone";

/** A key of the user. */
export type KeyBody = {
  created_at: string;
  expires_at?: string | null;
  id: number;
  last_used_at?: string | null;
  name: string;
  /** The first letters of its token. */
  prefix: string;
  scopes: string[];
};

/** Work that a process is at. */
export type LeaseBody = {
  count: number;
  ends_in_seconds: number;
  holder: string;
  /** `feeds`, the kind of a job, or the name of a lock. */
  work: string;
};

export type LikeBody = {
  is_liked: boolean;
  liked_at?: string | null;
};

/** Without a body: the opposite of what it is. */
export type LikeUpdate = {
  is_liked?: boolean | null;
};

/** A link that logs in. */
export type LoginLink = {
  /** Of the link that was printed. */
  token: string;
};

/** What a login needs. */
export type LoginOptions = {
  /** Whether one can log in through an identity provider, at `/api/auth/oidc/login`. */
  oidc: boolean;
  /** Whether nobody has a password yet: the server prints a link that sets the first one. */
  setup_needed: boolean;
  /** Whether a name has to be typed: there are several users. */
  username_needed: boolean;
};

/** A key that was made. */
export type MadeKey = KeyBody & {
  /** Shown once. */
  token: string;
};

/** What to mark: exactly one of the first four. */
export type MarkRead = {
  all?: boolean | null;
  /** Only what was first seen by this moment: the `as_of` of the list that the user saw. */
  as_of?: string | null;
  /** With the categories below it. */
  category_id?: number | null;
  feed_id?: number | null;
  post_ids?: number[] | null;
};

/** What was marked. */
export type MarkedBody = {
  /** How many posts became read. */
  marked: number;
  /** The same, by its older name. */
  marked_read: number;
  /** Takes it back within seven days, by `POST /api/posts/mark-read/undo`. Posts marked by their ids have none. */
  undo?: string | null;
};

/** Who asks. */
export type Me = {
  authenticated: boolean;
  /** For the header `X-CSRF-Token` of writes with a session. */
  csrf_token?: string | null;
  expires_at?: string | null;
  /** What a key may do. */
  scopes?: string[] | null;
  user: UserBody;
  /** `session`, `token` or `key`. */
  via: string;
};

/** How far the schema has come. */
export type Migrations = {
  at: number;
  of: number;
};

/** Posts of a month. */
export type MonthFacet = {
  count: number;
  /** Such as `2026-01`, in UTC. */
  month: string;
};

/** Either a post, or any page by its address. */
export type NewBookmarkBody = {
  /** HTML; without it, the page is fetched. */
  content?: string | null;
  note?: string | null;
  post_id?: number | null;
  tags?: string[] | null;
  /** Instead of the page's own. */
  title?: string | null;
  url?: string | null;
};

export type NewCategory = {
  name: string;
  parent_id?: number | null;
};

export type NewFeed = {
  /** Left out or null: the permanent category. */
  category_id?: number | null;
  title?: string | null;
  /** The address of a feed, or of a site that has one. */
  url: string;
};

/** A key to be made. */
export type NewKey = {
  expires_at?: string | null;
  name: string;
  /** Of `reader:read`, `reader:write`, `engine:read`, `engine:write`, `publish:read`, `admin`; else `reader:read`. */
  scopes?: string[] | null;
};

/** Another password. */
export type NewPassword = {
  current: string;
  new: string;
};

export type NewSavedSearch = {
  name: string;
  query: string;
};

/** A user to be added. */
export type NewUser = {
  name: string;
  /** Without one the user cannot log in with a password. */
  password?: string | null;
  /** `user`, `moderator`, `admin` or `super_admin`; else `user`. */
  role?: string | null;
};

/** Where links of an article are opened. */
export type OpenLinks = "new_tab" | "same_tab";

/** A session that has begun; its cookie comes with it. */
export type Opened = {
  /** For the header `X-CSRF-Token` of writes. */
  csrf_token: string;
  expires_at: string;
  user: UserBody;
};

/** A publisher that is left alone. */
export type PausedPublisher = {
  group: string;
  reason: string;
  until: string;
};

export type Place = {
  id: number;
  position: number;
};

/** The rules that we keep. */
export type PoliteRules = {
  /** Requests to a publisher at once. */
  at_once_per_group: number;
  /** No feed is visited more often by itself. */
  floor_seconds: number;
  /** Where robots.txt is asked. */
  robots: string;
  /** Between two requests to a publisher. */
  spacing_ms: number;
  /** How we introduce ourselves. */
  user_agent: string;
};

/** How we behave towards publishers. */
export type PolitenessBody = {
  /** How often we were asked to come later. */
  busy: number;
  bytes: number;
  bytes_saved: number;
  /** How much of what worked was answered 304, from 0 to 1. */
  conditional_share?: number | null;
  errors: number;
  from: string;
  /** Those with most visits. */
  hosts: HostBody[];
  /** Publishers that are left alone now. */
  paused: PausedPublisher[];
  rules: PoliteRules;
  to: string;
  visits: number;
};

/** A post in a list. */
export type PostBody = {
  author?: string | null;
  /** The title without bait and shouting, where that is another one. */
  calm_title?: string | null;
  /** A page with comments. */
  comments_url?: string | null;
  /** `audio` or `video`, if something that can be played is attached. */
  enclosure_kind?: string | null;
  /** The first words, as plain text. */
  excerpt?: string | null;
  feed_id: number;
  fetched_at: string;
  /** How loud the title is, from 0 (calm) to 1. */
  framing_score?: number | null;
  id: number;
  /** A picture, at the publisher's. */
  image?: string | null;
  is_liked: boolean;
  is_read: boolean;
  is_starred: boolean;
  /** Always false: nothing is suggested. */
  is_suggested: boolean;
  /** Language tag. */
  language?: string | null;
  /** What the post says, in a line. */
  one_line_summary?: string | null;
  published_at?: string | null;
  read_at?: string | null;
  /** By which lists are sorted. */
  sort_date: string;
  suggestion_score?: number | null;
  title: string;
  translated_title?: string | null;
  /** The page where a person reads it. */
  url?: string | null;
};

/** A post that was found, and why. */
export type PostHit = PostBody & {
  /** Where the words are in it: from and up to, in UTF-16 units. */
  highlights: unknown[][];
  /** Plain text around the first word that was found in what it says. */
  snippet?: string | null;
  /** Where they are in the title. */
  title_highlights: unknown[][];
};

/** A page of posts. */
export type PostsBody = {
  /** When the page was made: `mark-read` takes it. */
  as_of: string;
  /** For clients that want to know; the list of feeds has them. */
  feed_unread_counts?: Record<string, unknown> | null;
  has_more: boolean;
  /** Ask for the next page with it. */
  next_cursor?: string | null;
  posts: PostBody[];
  /** What a search could not make sense of. */
  problems?: string[];
  starred_count: number;
  suggested_count: number;
  /** How many there are on all pages. */
  total: number;
  /** There may be more than `total`: only so many hits of a search are counted. */
  total_at_least?: number | null;
};

/** What its publisher asks for. */
export type PublisherBody = {
  cache_control?: string | null;
  etag: boolean;
  expires_at?: string | null;
  last_modified: boolean;
  retry_after_at?: string | null;
  /** Days of the week on which not to come; 0 is Sunday. */
  skip_days: number[];
  /** Hours of the day (UTC) in which not to come. */
  skip_hours: number[];
  ttl_seconds?: number | null;
};

/** Jobs of a kind. */
export type QueueBody = {
  /** Given up. */
  failed: number;
  name: string;
  /** For how long the first of those that wait has been due. */
  oldest_seconds?: number | null;
  running: number;
  /** Due later. */
  scheduled: number;
  /** Due, and nobody is at them. */
  waiting: number;
};

export type ReadState = {
  /** Left out: read. */
  is_read?: boolean | null;
};

/** Where an article is shown. */
export type ReadingMode = "split" | "fullscreen";

/** A "mark as read" that can still be taken back. */
export type RecentMark = {
  at: string;
  /** How many of them would be unread again: those of feeds that were marked again since stay. */
  can_restore: number;
  /** The feed, if it was one. */
  feed_id?: number | null;
  /** How many feeds it was about. */
  feeds: number;
  /** How many posts became read. */
  marked: number;
  /** `all`, `category` or `feed`. */
  scope?: string | null;
  /** Takes it back, by `POST /api/posts/mark-read/undo`. */
  undo: string;
};

/** What was marked as read lately. */
export type RecentMarks = {
  marks: RecentMark[];
};

/** What visits of all feeds brought so far. */
export type RefreshAllBody = {
  errors: string[];
  /** Feeds that are visited. */
  feeds: number;
  /** Of these, how many were when the answer was sent. */
  finished: number;
  new_posts: number;
  ok: boolean;
};

/** What a visit on demand brought. */
export type RefreshBody = {
  errors: string[];
  /** False if the visit had not ended when the answer was sent. */
  finished: boolean;
  new_posts: number;
  ok: boolean;
  /** Posts of the document that were known. */
  skipped_duplicates: number;
};

export type Reprocess = {
  /** As `GET /api/posts/{id}` gives it. */
  content_hash?: string | null;
};

/** What was asked for again. */
export type ReprocessBody = Done & {
  /** How many posts with this content are looked at again. */
  queued: number;
};

/** What a post said before it was edited. */
export type RevisionBody = {
  /** As safe HTML. */
  content?: string | null;
  /** Counted from 1; the oldest may be gone. */
  number: number;
  /** Until when it said so. */
  replaced_at: string;
  title?: string | null;
  url?: string | null;
};

/** Sums of visits. */
export type RollupsBody = {
  /** The first hour of which there are any. */
  since?: string | null;
};

/** What the program says about a post. */
export type Said = {
  /** One of 16 categories. */
  ai_category?: string | null;
  /** How sure that is, 0 to 1. */
  ai_confidence?: number | null;
  answer?: AnswerBody | null;
  calm_model?: string | null;
  calm_provider?: string | null;
  /** Why a calm title was refused. */
  calm_reason?: string | null;
  framing?: FramingBody | null;
  sentiment?: SentimentBody | null;
  /** The same as plain text. */
  summary?: string | null;
  summary_at?: string | null;
  /** The same in words. */
  summary_detail?: string | null;
  summary_language?: string | null;
  summary_model?: string | null;
  /** How long it took to make. */
  summary_ms?: number | null;
  /** `local`, or who was asked. */
  summary_provider?: string | null;
  /** A summary, with HTML and Markdown escaped. */
  summary_pt?: string | null;
  /** How many come before it, up to 1,000. */
  summary_queue_position?: number | null;
  /** Why there is none: `off`, `too_short`, `no_title`, `waiting`, `budget`, `provider`, `admin` or `private`. */
  summary_reason?: string | null;
  /** `ready`, `pending`, `failed` or `off`. */
  summary_status: string;
  topics: string[];
};

/** A search under a name. */
export type SavedSearchBody = {
  created_at: string;
  id: number;
  name: string;
  position: number;
  /** As typed into the search. */
  query: string;
};

/** What is left out stays. */
export type SavedSearchUpdate = {
  name?: string | null;
  query?: string | null;
};

/** Which posts a filter looks at. */
export type ScopeShape = "all" | {
  /** Those of a category and of the categories below it. */
  category: number;
} | {
  /** Those of a feed. */
  feed: number;
};

/** What was found. */
export type SearchBody = {
  facets?: Facets | null;
  feeds: FeedHit[];
  has_more: boolean;
  posts: PostHit[];
  /** What could not be made sense of. */
  problems: string[];
  /** How many posts there are on all pages. */
  total: number;
  /** There may be more than that. */
  total_at_least?: number | null;
};

export type SearchOrder = {
  /** In their new order. */
  ids: number[];
};

/** How a text feels. */
export type SentimentBody = {
  /** `positive`, `negative`, `neutral` or `mixed`. */
  label: string;
  /** From -1 to 1, where it is known. */
  score?: number | null;
};

/** A session of the user. */
export type SessionBody = {
  address?: string | null;
  agent?: string | null;
  created_at: string;
  /** Whether it is the one that asks. */
  current: boolean;
  expires_at: string;
  id: number;
  last_seen_at: string;
};

/** How a user wants to read. */
export type Settings = {
  /** Whether summaries, topics and calm titles are shown, and made for this user. */
  ai?: boolean;
  /** What the web app keeps for itself: at most 32 kB of JSON. PATCH replaces the keys it names; null removes one. */
  app?: Record<string, unknown>;
  density?: Density;
  /** Of articles, in pixels, 14 to 26. */
  font_size?: number;
  /** 10 to 86400: clients ask again after so long. */
  idle_refresh_seconds?: number;
  images?: Images;
  /** A language tag; null is that of the browser. */
  locale?: string | null;
  /** Posts that were scrolled past are read. */
  mark_read_on_scroll?: boolean;
  open_links?: OpenLinks;
  reading_mode?: ReadingMode;
  sort?: Sort;
  /** How much of the width the list has, in percent, 20 to 80. */
  split_ratio?: number;
  /** 1 to 5. */
  suggestion_min_tags?: number;
  /** A language tag; null is that of the article. */
  summary_language?: string | null;
  theme?: Theme;
  /** 1 to 60. */
  toast_timeout_seconds?: number;
  unread_only?: boolean;
};

/** Whose password a link sets. */
export type SetupUser = {
  name: string;
};

/** Something that follows what is written. */
export type SinkBody = {
  entries: number;
  lag_seconds: number;
  name: string;
};

/** The order of lists. */
export type Sort = "newest" | "oldest";

export type StarBody = {
  is_liked: boolean;
  is_starred: boolean;
  starred_at?: string | null;
};

/** Without a body: the opposite of what it is. */
export type StarUpdate = {
  is_starred?: boolean | null;
};

/** How the installation is. */
export type StatusBody = {
  ai: AiBody;
  /** Whether summaries are paused: `closed`, `open` or `half`. */
  circuit_breaker: string;
  db_size_mb: number;
  /** Feeds that the user follows. */
  feeds_count: number;
  /** What an operator should look at. */
  health_warning?: string | null;
  /** Posts in them. */
  posts_count: number;
  /** Summaries that wait to be written. */
  queue_size: number;
  unread_count: number;
  version: string;
};

/** The installation. */
export type SystemBody = {
  database: DatabaseBody;
  feeds: FeedsBody;
  leases: LeaseBody[];
  migrations: Migrations;
  now: string;
  queues: QueueBody[];
  rollups: RollupsBody;
  sinks: SinkBody[];
  /** When this process began to serve. */
  started_at: string;
  version: string;
};

/** A label. */
export type TagBody = {
  id: number;
  name: string;
  /** How many posts and bookmarks have it. */
  uses: number;
};

export type TagName = {
  name: string;
};

/** The names of tags. */
export type Tags = {
  tags: string[];
};

/** One question about a post: one of these, and `not` if the answer must be no. */
export type TestShape = {
  /** The author's name contains this. */
  author?: string | null;
  /** It is of this feed. */
  feed?: number | null;
  /** Files are attached to it. */
  has_media?: boolean | null;
  /** Where the words are looked for: `title`, `content` or `both`. */
  in?: string | null;
  /** Its link contains this. */
  link?: string | null;
  /** An attached file is longer than this many bytes. */
  media_longer_than_bytes?: number | null;
  /** An attached file is shorter than this many bytes. */
  media_shorter_than_bytes?: number | null;
  /** Whether the answer must be no. */
  not?: boolean | null;
  /** The publisher filed it under this. */
  tag?: string | null;
  /** One of these words or phrases is there. A `*` at the end stands for any ending. */
  words?: string[] | null;
};

/** Colours. */
export type Theme = "auto" | "light" | "dark" | "sepia" | "black" | "contrast";

/** A token that says who somebody is. */
export type Token = {
  expires_at: string;
  token: string;
};

/** A feed and what it brought. */
export type TopFeed = {
  id: number;
  new_entries: number;
  title: string;
  url: string;
};

/** What a filter would be about. */
export type TrialBody = {
  examples: Example[];
  matched: number;
  /** The last posts that it was tried on. */
  of: number;
};

/** What somebody types. */
export type Typed = {
  password: string;
  /** May be left out while there is one user. */
  username?: string | null;
};

export type Undo = {
  /** What `mark-read` gave. */
  undo: string;
};

/** How much was taken back. */
export type Undone = {
  ok: boolean;
  restored: number;
};

/** A user in answers. */
export type UserBody = {
  id: number;
  name: string;
  /** `user`, `moderator`, `admin` or `super_admin`. */
  role: string;
};

/** What to change; what is left out stays as it is. */
export type UserChange = {
  disabled?: boolean | null;
  password?: string | null;
  role?: string | null;
};

/** How much smaller the database is. */
export type VacuumBody = {
  freed_bytes: number;
  ok: boolean;
};

/** Whether there are feeds at an address. */
export type ValidateBody = {
  feeds: FoundFeed[];
  /** Why not. */
  problem?: string | null;
  valid: boolean;
};

/** The ids of a list in its order. Each is the one before plus the difference. */
export type ViewIds = {
  /** When the list was read: `mark-read` takes it. */
  as_of: string;
  /** These are all. */
  complete: boolean;
  /** How many ids these are. */
  count: number;
  /** From each id to the next one. */
  deltas: number[];
  /** The first id. */
  first?: number | null;
  /** How many posts the list has. */
  total: number;
};

/** A visit. */
export type VisitBody = {
  at: string;
  bytes: number;
  changed_entries: number;
  /** Why the next visit was set to when it was. */
  decision: string;
  error?: string | null;
  /** Smoothed time between entries, as it was known then. */
  ewma_seconds?: number | null;
  interval_seconds: number;
  new_entries: number;
  next_at?: string | null;
  /** `fresh`, `unchanged`, `gone`, `busy`, `deferred` or `failed`. */
  outcome: string;
  problems?: string | null;
  status?: number | null;
  took_ms: number;
  /** What a 304 was asked with: `etag` or `last-modified`. */
  validator?: string | null;
};

/** The visits of a part of the span. */
export type VisitBucket = {
  at: string;
  bytes: number;
  bytes_saved: number;
  error: number;
  new_entries: number;
  /** 304. */
  not_modified: number;
  /** An answer with a body. */
  success: number;
};

/** Visits that failed for the same reason. */
export type VisitErrors = {
  /** A status, or a word such as `dns`. */
  code: string;
  count: number;
  first_at: string;
  last_at: string;
  text: string;
};

/** How visits went. */
export type VisitHealth = {
  /** Of as long a time just before. */
  before: VisitTotals;
  /** Without gaps. */
  buckets: VisitBucket[];
  errors: VisitErrors[];
  from: string;
  step_seconds: number;
  to: string;
  /** The feeds that brought most. */
  top_feeds: TopFeed[];
  totals: VisitTotals;
};

/** The visits of the whole span. */
export type VisitTotals = {
  bytes: number;
  /** That a 304 spared. */
  bytes_saved: number;
  changed_entries: number;
  error: number;
  mean_ms?: number | null;
  new_entries: number;
  not_modified: number;
  p50_ms?: number | null;
  /** All but the slowest twentieth took no longer. */
  p95_ms?: number | null;
  success: number;
  visits: number;
  /** Against a visit every thirty minutes. */
  visits_saved_per_day: number;
};

/** A post with its text. */
export type WholePost = PostBody & Said & {
  categories: string[];
  /** What the feed says, as safe HTML. */
  content?: string | null;
  content_hash: string;
  enclosures: Enclosure[];
  feed_title?: string | null;
  /** What the page says, as safe HTML, once it was fetched. */
  full_content?: string | null;
  full_content_error?: string | null;
  /** `none`, `pending`, `ready` or `failed`. */
  full_content_status: string;
  /** About how long it takes to read. */
  reading_minutes: number;
  tags: string[];
};
