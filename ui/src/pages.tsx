// Everything but the reader, in one part that is loaded when the reader is at rest or when one of it is opened.
export { Login, Setup, Welcome } from "./auth/login.tsx";
export { default as Import } from "./manage/import.tsx";
export { default as Manage } from "./manage/feeds.tsx";
export { default as Dialogs } from "./reader/dialogs.tsx";
export { Attachments } from "./reader/player.tsx";
export { default as SettingsPage } from "./settings/page.tsx";
export { Facets } from "./reader/facets.tsx";
export { History } from "./reader/history.tsx";
export { WhyBox } from "./reader/why.tsx";
import english from "./i18n/en-pages.json";
import icons from "icons:more";
export { english, icons };
