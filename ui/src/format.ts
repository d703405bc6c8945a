// Numbers and dates as a person reads them, in the language of the interface and the user's time zone.
import { language, numbers, t } from "./i18n.ts";
import { prefs } from "./store/settings.ts";

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const cache = new Map<string, Intl.DateTimeFormat>();

function dates(options: Intl.DateTimeFormatOptions, name: string): Intl.DateTimeFormat {
  const timeZone = prefs.value.timeZone || undefined;
  const locale = language.value === "en" ? "en-GB" : language.value;
  const key = `${locale}|${timeZone ?? ""}|${name}`;
  let found = cache.get(key);
  if (!found) {
    try { found = new Intl.DateTimeFormat(locale, { ...options, timeZone }); } catch { found = new Intl.DateTimeFormat(locale, options); }
    cache.set(key, found);
  }
  return found;
}

export const number = (value: number): string => numbers(language.value).format(value);

/** Unread counts: exact to 9,999. */
export const count = (value: number): string => (value > 9999 ? `${number(9999)}+` : number(value));

/** The day of a moment in the user's time zone, as 2026-11-17. */
export function dayOf(at: string | number | Date): string {
  const moment = new Date(at);
  // A quarter of an hour lies in one day in every time zone: one answer for all moments in it.
  const key = `${prefs.value.timeZone}|${Math.floor(moment.getTime() / 900_000)}`;
  let found = days.get(key);
  if (found === undefined) {
    const parts = dates({ year: "numeric", month: "2-digit", day: "2-digit" }, "day").formatToParts(moment);
    const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
    if (days.size > 20_000) days.clear();
    days.set(key, (found = `${part("year")}-${part("month")}-${part("day")}`));
  }
  return found;
}
const days = new Map<string, string>();

/** The moment at which today began in the user's time zone. */
export function startOfToday(now = new Date()): Date {
  const today = dayOf(now);
  // Steps back by hours: the day can have 23 or 25 of them.
  let at = new Date(Math.floor(now.getTime() / 900_000) * 900_000);
  for (let steps = 0; steps < 26 * 4 && dayOf(new Date(at.getTime() - 900_000)) === today; steps++) at = new Date(at.getTime() - 900_000);
  return at;
}

export const time = (at: string | number | Date): string => dates({ hour: "2-digit", minute: "2-digit" }, "f1").format(new Date(at));
export const clockTime = (at: string | number | Date): string => dates({ hour: "2-digit", minute: "2-digit", second: "2-digit" }, "f8").format(new Date(at));
export const shortDate = (at: string | number | Date): string => dates({ day: "numeric", month: "short" }, "f2").format(new Date(at));
export const longDate = (at: string | number | Date): string => dates({ day: "numeric", month: "long", year: "numeric" }, "f3").format(new Date(at));
export const weekdayDate = (at: string | number | Date): string => dates({ weekday: "long", day: "numeric", month: "long" }, "f4").format(new Date(at));
export const weekdayShort = (at: string | number | Date): string => dates({ weekday: "short", day: "numeric" }, "f7").format(new Date(at));
export const fullDate = (at: string | number | Date): string => dates({ weekday: "long", day: "numeric", month: "long", year: "numeric" }, "f5").format(new Date(at));
export const monthName = (at: string | number | Date): string => dates({ month: "short", year: "numeric" }, "f6").format(new Date(at));
export const longMonth = (at: string | number | Date): string => dates({ month: "long", year: "numeric" }, "f9").format(new Date(at));
export const dateTime = (at: string | number | Date): string => `${longDate(at)}, ${time(at)}`;

/** How long something takes: 38 min, 4 h, 3 d. */
export function duration(seconds: number): string {
  if (seconds < MINUTE) return t("unit.s", { n: Math.round(seconds) });
  if (seconds < HOUR) return t("unit.min", { n: Math.round(seconds / MINUTE) });
  if (seconds < 2 * DAY) return t("unit.h", { n: Math.round(seconds / HOUR) });
  return t("unit.d", { n: Math.round(seconds / DAY) });
}

/** When something was, in a list: 9 min, 2 h, 3 d, then the date; or the clock, if the user prefers that. */
export function when(at: string | number | Date, now = Date.now()): string {
  const moment = new Date(at);
  const ago = (now - moment.getTime()) / 1000;
  if (prefs.value.dates === "absolute") return dayOf(moment) === dayOf(now) ? time(moment) : shortDate(moment);
  if (ago < MINUTE) return t("unit.now");
  if (ago < HOUR) return t("unit.min", { n: Math.floor(ago / MINUTE) });
  if (ago < DAY) return t("unit.h", { n: Math.floor(ago / HOUR) });
  if (ago < 7 * DAY) return t("unit.d", { n: Math.floor(ago / DAY) });
  return ago < 330 * DAY ? shortDate(moment) : monthName(moment);
}

/** Like `when`, for moments as unix seconds of which 0 is unknown. */
export const whenUnix = (seconds: number): string => (seconds > 0 ? when(seconds * 1000) : "—");

/** The heading of a day in a list. */
export function dayHeading(at: string, now = Date.now()): string {
  const day = dayOf(at);
  if (day === dayOf(now)) return t("day.today", { date: weekdayDate(at) });
  if (day === dayOf(now - DAY * 1000)) return t("day.yesterday", { date: weekdayDate(at) });
  return now - new Date(at).getTime() < 300 * DAY * 1000 ? weekdayDate(at) : longDate(at);
}

/** 12:40, or 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds)), hours = Math.floor(whole / HOUR);
  const rest = `${Math.floor((whole % HOUR) / MINUTE)}:${String(whole % MINUTE).padStart(2, "0")}`;
  return hours ? `${hours}:${rest.padStart(5, "0")}` : rest;
}

export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit++; }
  return `${new Intl.NumberFormat(language.value, { maximumFractionDigits: value < 100 && unit > 0 ? 1 : 0 }).format(value)} ${units[unit]}`;
}

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/, LETTER = /\p{L}/u;
/** Which way a text runs: by its first letters, not by its first character. */
export function direction(text: string): "rtl" | "ltr" {
  const letters = [...text.slice(0, 60)].filter((letter) => LETTER.test(letter));
  return letters.filter((letter) => RTL.test(letter)).length * 2 > letters.length ? "rtl" : "ltr";
}
/** Whether a text is Chinese, Japanese or Korean, whose letters look larger. */
export const isCjk = (text: string): boolean => /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(text.slice(0, 40));

export const host = (url: string | null | undefined): string => {
  try { return url ? new URL(url).host.replace(/^www\./, "") : ""; } catch { return ""; }
};
