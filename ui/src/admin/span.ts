// The time that a page of the operator's room is about, as it stands in the address: 24h, 7d, 30d, or two days. Pure.

export const RANGES = { "24h": 1, "7d": 7, "30d": 30 } as const;
export type Range = keyof typeof RANGES | "custom";
const DAY = 86400_000;

export interface Span { range: Range; from: Date; to: Date; days: number }

const dayOf = (text: string | null): Date | null => { const at = /^\d{4}-\d{2}-\d{2}$/.test(text ?? "") ? new Date(`${text}T00:00:00`) : null; return at && !Number.isNaN(at.getTime()) ? at : null; };

/** Reads it; what makes no sense is the last seven days. At most 400 days, as the server keeps them. */
export function spanOf(query: URLSearchParams, now: number): Span {
  const name = query.get("range");
  if (name === "custom") {
    const from = dayOf(query.get("from")), to = dayOf(query.get("to"));
    if (from && to && from <= to) {
      const end = Math.min(to.getTime() + DAY, now), start = Math.max(from.getTime(), end - 400 * DAY);
      if (end > start) return { range: "custom", from: new Date(start), to: new Date(end), days: Math.ceil((end - start) / DAY) };
    }
  }
  const range = name !== null && Object.hasOwn(RANGES, name) ? (name as keyof typeof RANGES) : "7d";
  return { range, from: new Date(now - RANGES[range] * DAY), to: new Date(now), days: RANGES[range] };
}
