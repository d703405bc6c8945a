// Colours keep their ratios: text 4.5 on every surface it stands on, controls 3.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("../../css/tokens.css", import.meta.url), "utf8");
type Tokens = Record<string, string>;

function block(selector: string): Tokens {
  const at = css.indexOf(`${selector} {`);
  assert.ok(at >= 0, `${selector} is in tokens.css`);
  return Object.fromEntries([...css.slice(at, css.indexOf("}", at)).matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/gi)].map(([, name, value]) => [name!, value!]));
}
const luminance = (hex: string): number => {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (a: string, b: string): number => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p) as [number, number]; return (x + 0.05) / (y + 0.05); };

const dark = block(':root[data-theme="dark"], :root[data-theme="black"]');
const themes: Record<string, Tokens> = { light: block(":root"), dark, black: { ...dark, ...block(':root[data-theme="black"]') }, sepia: block(':root[data-theme="sepia"]'), contrast: block(':root[data-theme="contrast"]') };
const SURFACES = ["paper", "margin", "raised", "sunk", "tint", "tint2"];

for (const [name, tokens] of Object.entries(themes)) {
  test(`${name}: text is readable on every surface`, () => {
    for (const text of ["ink", "ink2", "ink3", "accent", "good", "warn", "bad"]) for (const surface of SURFACES) {
      const found = ratio(tokens[text]!, tokens[surface]!);
      assert.ok(found >= 4.5, `${text} on ${surface}: ${found.toFixed(2)}`);
    }
    assert.ok(ratio(tokens["on-accent"]!, tokens.accent!) >= 4.5, "on-accent");
    for (const tone of ["good", "warn", "bad"]) assert.ok(ratio(tokens[tone]!, tokens[`${tone}-tint`]!) >= 4.5, `${tone} on its tint`);
    assert.ok(ratio(tokens.ink!, tokens.mark!) >= 4.5, "text on a search hit");
  });
  test(`${name}: controls are visible`, () => {
    for (const control of ["control", "good-fill", "warn-fill", "bad-fill"]) for (const surface of SURFACES) {
      const found = ratio(tokens[control]!, tokens[surface]!);
      assert.ok(found >= 3, `${control} on ${surface}: ${found.toFixed(2)}`);
    }
  });
}

test("the system's dark is the chosen dark", () => {
  const at = css.indexOf("@media (prefers-color-scheme: dark)");
  const system = Object.fromEntries([...css.slice(at, css.indexOf("}", at)).matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/gi)].map(([, name, value]) => [name!, value!]));
  assert.deepEqual(system, dark);
});
