// Texts of the interface, all in src/i18n/*.json. English is part of the app; other languages are loaded when chosen.
// A text with a bar has a form for one and a form for many, chosen by the value `n`.
import { signal } from "@preact/signals";
import en from "./i18n/en.json";
import type pages from "./i18n/en-pages.json";

export type Key = keyof typeof en | keyof typeof pages;
export type Values = Record<string, string | number>;

export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

export const language = signal<Language>("en");
const texts = signal<Record<string, string>>(en);
let english: Record<string, string> = en;

/** Adds the texts of parts that were loaded later. */
export function addTexts(more: Record<string, string>): void {
  english = { ...english, ...more };
  texts.value = { ...english, ...(language.value === "en" ? {} : texts.value) };
}

/** Loads the texts of a language; English where it has none. */
export async function speak(tag: string | null | undefined): Promise<void> {
  const wanted = (tag ?? navigator.language ?? "en").slice(0, 2).toLowerCase();
  if (wanted === "de") {
    const { default: de } = await import("./i18n/de.ts");
    texts.value = { ...english, ...de };
    language.value = "de";
  } else {
    texts.value = english;
    language.value = "en";
  }
  document.documentElement.lang = language.value;
}

/** The text for a key, with values in place of {names}. */
export function t(key: Key, values: Values = {}): string {
  return fill(texts.value[key] ?? key, values, language.value);
}

/** See `t`; apart from it so that it can be tested. */
export function fill(text: string, values: Values, locale: string): string {
  const forms = text.split("|");
  const form = forms.length > 1 && plural(locale).select(Number(values.n)) !== "one" ? forms[1]! : forms[0]!;
  return form.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === "number" ? numbers(locale).format(value) : String(value ?? "");
  });
}

// Making a format takes longer than using it a thousand times.
const formats = new Map<string, Intl.NumberFormat>();
const plurals = new Map<string, Intl.PluralRules>();
export function numbers(locale: string): Intl.NumberFormat {
  let found = formats.get(locale);
  if (!found) formats.set(locale, (found = new Intl.NumberFormat(locale)));
  return found;
}
function plural(locale: string): Intl.PluralRules {
  let found = plurals.get(locale);
  if (!found) plurals.set(locale, (found = new Intl.PluralRules(locale)));
  return found;
}
