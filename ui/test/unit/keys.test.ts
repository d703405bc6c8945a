// Keys: what a press is called, which action it means, presets without conflicts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS, bindingsOf, conflicts, keyName, keyCaps, match } from "../../src/keys.ts";

const plain = bindingsOf({ preset: "courant", remap: {} });
const press = (key: string, code = "", shiftKey = false): string => keyName({ key, code, shiftKey });

test("a press has a name on every keyboard", () => {
  assert.equal(press("j", "KeyJ"), "j");
  assert.equal(press("A", "KeyA", true), "A");
  assert.equal(press(" ", "Space"), "Space");
  assert.equal(press(" ", "Space", true), "Shift+Space");
  assert.equal(press("о", "KeyJ"), "j", "Cyrillic о lies where j is");
  assert.equal(press("О", "KeyJ", true), "J");
  assert.equal(press("j", "KeyC"), "j", "Dvorak: the letter counts, not the place");
  assert.equal(press("?", "Slash", true), "?");
});

test("sequences wait for their second key", () => {
  assert.deepEqual(match(plain, "", "g"), { action: undefined, waits: true });
  assert.equal(match(plain, "g", "u").action, "goUnread");
  assert.equal(match(plain, "g", "g").action, "first");
  assert.equal(match(plain, "", "j").action, "next");
  assert.equal(match(plain, "", "J").action, "nextFeed");
  assert.equal(match(plain, "g", "x").action, undefined);
});

test("no preset has a key that does two things", () => {
  for (const preset of Object.keys(PRESETS)) assert.deepEqual(conflicts(bindingsOf({ preset, remap: {} })), [], preset);
});

test("a conflict is found, also with the first key of a sequence", () => {
  const found = conflicts(bindingsOf({ preset: "courant", remap: { next: ["k"] } }));
  assert.deepEqual(found, [{ keys: "k", actions: ["next", "previous"] }]);
  assert.equal(conflicts(bindingsOf({ preset: "courant", remap: { next: ["g"] } }))[0]?.keys, "g");
});

test("keys are read by people", () => {
  assert.deepEqual(keyCaps("A"), [["Shift", "A"]]);
  assert.deepEqual(keyCaps("g u"), [["g"], ["u"]]);
  assert.deepEqual(keyCaps("Escape"), [["Esc"]]);
});
