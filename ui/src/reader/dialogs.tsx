// The dialogs of the reader, loaded when the first of them is opened: shortcuts, palette, feed settings, tags, category, text.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get, patch, post, put } from "../http.ts";
import type { SavedSearchBody } from "../api.d.ts";
import { duration, whenUnix } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { GROUPS, bindings } from "../keys.ts";
import { Choice, Confirm, Dialog, Keys, Select, Switch, Tool } from "../part/control.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { SECTIONS, go, href } from "../router.ts";
import { article, reload } from "../store/article.ts";
import { categories, categoryPath, changeFeed, enableFeed, feeds, hasAi, healthOf, healthReason, makeCategory, nestCategory, refreshFeedBody, renameCategory, searches, tags } from "../store/library.ts";
import { isAdmin } from "../store/session.ts";
import { prefs, setPrefs } from "../store/settings.ts";
import { complain, show } from "../store/toast.ts";
import { type Open, dialog } from "../store/ui.ts";
import type { Feed } from "../types.ts";
import { AddFeed } from "./add.tsx";
import { askUnfollow } from "./tree.tsx";

const close = (): void => { dialog.value = null; };

export default function Dialogs({ open }: { open: Open }) {
  switch (open.kind) {
    case "add": return <AddFeed url={open.url} onClose={close} />;
    case "help": return <Help />;
    case "palette": return <Palette />;
    case "feed": { const feed = feeds.value.get(open.id); return feed ? <FeedSettings key={feed.id} feed={feed} /> : null; }
    case "tags": return <Tags id={open.id} />;
    case "category": return <CategoryDialog id={open.id} />;
    case "text": return <TextDialog />;
    case "more": return <More />;
    case "saveSearch": return <SaveSearch query={open.query} />;
    case "confirm": return <Confirm title={open.title} text={open.text} action={open.action} bad={open.bad} onNo={close} onYes={() => { close(); open.run(); }} />;
  }
}

function Help() {
  const wanted = useSignal("");
  const shown = useComputed(() => GROUPS.map((group) => ({ ...group, actions: group.actions.filter((action) => {
    const text = `${t(`key.${action}` as Key)} ${(bindings.value[action] ?? []).join(" ")}`.toLowerCase();
    return text.includes(wanted.value.toLowerCase());
  }) })).filter((group) => group.actions.length > 0));
  return (
    <Dialog title={t("keys.title")} class="help ruled" onClose={close} head={<>
      <span class="grow" /><span class="field"><Icon name="search" size={16} /><input data-autofocus type="search" aria-label={t("keys.find")} placeholder={t("keys.find")} value={wanted.value} onInput={(event) => { wanted.value = event.currentTarget.value; }} /></span>
      <Tool icon="printer" label={t("print")} onClick={() => print()} /></>}
      foot={<><Switch label={t("keys.single")} checked={prefs.value.keys.single} onChange={(single) => setPrefs({ keys: { ...prefs.value.keys, single } })} /><span class="grow" /><span class="quiet">{t("keys.rest")}</span><a class="text" href="/settings/shortcuts" onClick={close}>{t("keys.change")}</a></>}>
      <div class="help-columns">
        {shown.value.map((group) => (
          <section key={group.title}><h3>{t(group.title)}</h3><dl>{group.actions.map((action) => <div key={action}><dt>{t(`key.${action}` as Key)}</dt><dd><Keys of={action} all /></dd></div>)}</dl></section>
        ))}
        {shown.value.length === 0 && <p class="quiet">{t("keys.noneFound")}</p>}
      </div>
    </Dialog>
  );
}

interface Target { name: string; where: string; path: string; feed?: Feed; icon: string }

function Palette() {
  const wanted = useSignal(""), at = useSignal(0);
  const box = useRef<HTMLUListElement>(null);
  const all = useComputed((): Target[] => [
    ...(["unread", "today", "bookmarks", "all", "history"] as const).map((kind) => ({ name: t(`view.${kind}`), where: "", path: href({ kind }), icon: "inbox" })),
    ...categories.value.map((one) => ({ name: categoryPath(one.id), where: t("view.category"), path: href({ kind: "category", id: one.id }), icon: "folder" })),
    ...[...feeds.value.values()].map((feed) => ({ name: feed.title, where: categoryPath(feed.category_id), path: href({ kind: "feed", id: feed.id }), feed, icon: "rss" })),
    ...tags.value.map((tag) => ({ name: tag.name, where: t("palette.tag"), path: href({ kind: "tag", name: tag.name }), icon: "tag" })),
    { name: t("manage.title"), where: "", path: "/feeds", icon: "list-checks" }, { name: t("import.title"), where: "", path: "/import", icon: "file-input" },
    ...SECTIONS.filter((section) => section !== "ai" || hasAi.value).map((section) => ({ name: t(`settings.${section}`), where: t("settings"), path: `/settings/${section}`, icon: "settings-2" })),
  ]);
  const found = useComputed(() => rank(all.value, wanted.value).slice(0, 40));
  const choose = (target: Target | undefined): void => { if (target) { close(); go(target.path); } };
  useEffect(() => { box.current?.children[at.value]?.scrollIntoView({ block: "nearest" }); }, [at.value]);
  return (
    <Dialog title={t("palette.title")} class="palette" onClose={close}>
      <span class="field"><Icon name="search" size={16} /><input data-autofocus type="text" role="combobox" aria-expanded="true" aria-controls="palette" aria-activedescendant={`palette-${at.value}`} aria-label={t("palette.label")} placeholder={t("palette.label")} value={wanted.value}
        onInput={(event) => { wanted.value = event.currentTarget.value; at.value = 0; }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") { at.value = Math.min(at.value + 1, found.value.length - 1); event.preventDefault(); }
          if (event.key === "ArrowUp") { at.value = Math.max(0, at.value - 1); event.preventDefault(); }
          if (event.key === "Enter") choose(found.value[at.value]);
        }} /></span>
      <ul id="palette" role="listbox" aria-label={t("palette.title")} ref={box}>
        {found.value.map((target, n) => (
          <li key={target.path} id={`palette-${n}`} role="option" aria-selected={n === at.value} onPointerMove={() => { at.value = n; }} onClick={() => choose(target)}>
            {target.feed ? <Favicon feed={target.feed} /> : <Icon name={target.icon} size={16} />}<span class="name" dir="auto">{target.name}</span><span class="quiet">{target.where}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Beginnings first, then words, then letters in order. */
function rank(all: Target[], wanted: string): Target[] {
  const text = wanted.trim().toLowerCase();
  if (!text) return all;
  const score = (name: string): number => {
    const low = name.toLowerCase();
    if (low.startsWith(text)) return 0;
    if (low.split(/[\s/]+/).some((word) => word.startsWith(text))) return 1;
    if (low.includes(text)) return 2;
    let at = 0;
    for (const letter of low) if (letter === text[at]) at++;
    return at === text.length ? 3 : 9;
  };
  return all.map((target) => ({ target, n: score(target.name) })).filter(({ n }) => n < 9).sort((a, b) => a.n - b.n).map(({ target }) => target);
}

function FeedSettings({ feed }: { feed: Feed }) {
  const title = useSignal(feed.title), url = useSignal(feed.url), category = useSignal(feed.category_id);
  const sort = useSignal(feed.sort ?? ""), full = useSignal(feed.full_text ?? ""), inAll = useSignal(feed.in_all), ai = useSignal(feed.ai == null ? "" : feed.ai === "off" ? "off" : "on"), busy = useSignal(false);
  const health = healthOf(feed), state = feed.fetch_state;
  const save = async (): Promise<void> => {
    busy.value = true;
    const change: Record<string, unknown> = { title: title.value.trim() || null, category_id: category.value, in_all: inAll.value, sort: sort.value || null, full_text: full.value || null };
    if (hasAi.value && feed.ai !== undefined) change.ai = ai.value === "" ? null : ai.value === "on";
    if (url.value.trim() !== feed.url) change.url = url.value.trim();
    const ok = await changeFeed(feed, change);
    busy.value = false;
    if (ok) close();
  };
  const fetchNow = async (): Promise<void> => {
    try { const done = await post<{ new_posts: number; errors: string[] }>(`/api/feeds/${feed.id}/refresh`); show({ text: done.errors[0] ?? t("refresh.new", { n: done.new_posts }) }); } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
    await refreshFeedBody(feed.id);
  };
  const row = (label: Key, control: preact.ComponentChildren, id?: string) => <div class="form-row">{id ? <label for={id}>{t(label)}</label> : <span>{t(label)}</span>}<div>{control}</div></div>;
  return (
    <Dialog title={t("feed.settings")} class="feed-settings" onClose={close} foot={<><button type="button" class="text bad" onClick={() => askUnfollow(feed)}>{t("feed.delete")}</button><span class="grow" /><button type="button" class="plain" onClick={close}>{t("cancel")}</button><button type="button" class="primary" disabled={busy.value} onClick={() => void save()}>{t("save")}</button></>}>
      <p class="sentence">{health === "disabled" ? t("feed.why.disabled", { why: healthReason(feed) }) : health === "failing" ? t("feed.why.failing", { why: healthReason(feed), at: whenUnix(state.next_check_at) })
        : state.last_success_at ? t("feed.why.healthy", { every: duration(state.interval_seconds), reason: state.reason }) : t("feed.why.new")}</p>
      <p class="feed-actions">
        {health === "disabled" && <button type="button" class="outline" onClick={() => void enableFeed(feed)}><Icon name="rotate-ccw" size={16} />{t("feed.enable")}</button>}
        {health !== "disabled" && <button type="button" class="outline" onClick={() => void fetchNow()}><Icon name="refresh-cw" size={16} />{t("feed.fetchNow")}</button>}
        {feed.site_url && <a class="text with-icon" href={feed.site_url} target="_blank" rel="noopener noreferrer">{t("feed.site")}<Icon name="external-link" size={15} /></a>}
      </p>
      {row("feed.title", <input id="feed-title" class="input" type="text" value={title.value} placeholder={feed.feed_title ?? ""} onInput={(event) => { title.value = event.currentTarget.value; }} />, "feed-title")}
      {row("feed.address", <input id="feed-url" class="input" type="url" value={url.value} onInput={(event) => { url.value = event.currentTarget.value; }} />, "feed-url")}
      {row("view.category", <Select id="feed-category" icon="folder" value={category.value} options={categories.value.map((one) => [one.id, categoryPath(one.id)])} onChange={(id) => { category.value = id; }} />, "feed-category")}
      {row("feed.fullText", <Choice label={t("feed.fullText")} value={full.value} onChange={(value) => { full.value = value; }} options={[["", t("feed.asRule")], ["auto", t("feed.auto")], ["always", t("feed.always")], ["never", t("feed.never")]]} />)}
      {row("feed.order", <Choice label={t("feed.order")} value={sort.value} onChange={(value) => { sort.value = value; }} options={[["", t("feed.asEverywhere")], ["newest", t("list.newest")], ["oldest", t("list.oldest")]]} />)}
      {hasAi.value && feed.ai !== undefined && row("feed.ai", <Choice label={t("feed.ai")} value={ai.value} onChange={(value) => { ai.value = value; }} options={[["", t("feed.asEverywhere")], ["on", t("feed.aiOn")], ["off", t("feed.aiOff")]]} />)}
      {row("feed.all", <Switch label={t("feed.inAll")} checked={inAll.value} onChange={(on) => { inAll.value = on; }} />)}
      {(isAdmin.value || feed.private) && row("feed.pause", <Switch label={t("feed.paused")} checked={feed.suspended} onChange={(suspended) => void changeFeed(feed, { suspended })} />)}
    </Dialog>
  );
}

function Tags({ id }: { id: number }) {
  // An answer that comes late does not undo what was chosen meanwhile.
  const touched = useRef(false);
  const chosen = useSignal<string[]>(article.value?.id === id ? article.value.tags : []), typed = useSignal("");
  useEffect(() => { if (id > 0) void get<{ tags: string[] }>(`/api/posts/${id}/tags`).then((body) => { if (!touched.current) chosen.value = body.tags; }, () => undefined); }, [id]);
  const toggle = (name: string): void => { const clean = name.trim(); if (!clean) return; touched.current = true; chosen.value = chosen.value.includes(clean) ? chosen.value.filter((one) => one !== clean) : [...chosen.value, clean]; };
  const save = async (): Promise<void> => {
    if (typed.value.trim()) toggle(typed.value);
    try {
      if (id > 0) await put(`/api/posts/${id}/tags`, { tags: chosen.value });
      else await patch(`/api/bookmarks/${-id}`, { tags: chosen.value });
      tags.value = await get("/api/tags");
      reload();
      close();
    } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
  };
  const offered = [...new Set([...chosen.value, ...tags.value.map((tag) => tag.name)])].filter((name) => name.toLowerCase().includes(typed.value.trim().toLowerCase()));
  return (
    <Dialog title={t("article.tags")} class="small" onClose={close} foot={<><span class="grow" /><button type="button" class="plain" onClick={close}>{t("cancel")}</button><button type="button" class="primary" onClick={() => void save()}>{t("save")}</button></>}>
      <form onSubmit={(event) => { event.preventDefault(); if (typed.value.trim()) { toggle(typed.value); typed.value = ""; } else void save(); }}>
        <span class="field"><Icon name="tag" size={16} /><input data-autofocus type="text" aria-label={t("tags.new")} placeholder={t("tags.new")} value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }} /></span>
      </form>
      <div class="tag-list">{offered.map((name) => <button type="button" key={name} class="filter-chip" aria-pressed={chosen.value.includes(name)} onClick={() => toggle(name)}>{chosen.value.includes(name) && <Icon name="check" size={14} />}{name}</button>)}
        {offered.length === 0 && typed.value.trim() && <p class="quiet">{t("tags.make", { name: typed.value.trim() })}</p>}</div>
    </Dialog>
  );
}

function CategoryDialog({ id }: { id?: number }) {
  const category = categories.value.find((one) => one.id === id);
  const name = useSignal(category?.name ?? ""), parent = useSignal<number>(category?.parent_id ?? 0), problem = useSignal("");
  const save = async (): Promise<void> => {
    try {
      if (category) {
        if (name.value.trim() !== category.name) await renameCategory(category, name.value.trim());
        if ((category.parent_id ?? 0) !== parent.value) await nestCategory(category, parent.value || null);
      } else await makeCategory(name.value.trim(), parent.value || null);
      close();
    } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  return (
    <Dialog title={category ? t("category.edit") : t("category.new")} class="small" onClose={close} foot={<><span class="grow" /><button type="button" class="plain" onClick={close}>{t("cancel")}</button><button type="button" class="primary" disabled={!name.value.trim()} onClick={() => void save()}>{t("save")}</button></>}>
      <form onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <div class="form-row"><label for="category-name">{t("category.name")}</label><div><input id="category-name" data-autofocus class="input" type="text" maxLength={200} value={name.value} aria-invalid={problem.value ? true : undefined} aria-describedby="category-problem" onInput={(event) => { name.value = event.currentTarget.value; problem.value = ""; }} /></div></div>
        <div class="form-row"><label for="category-parent">{t("category.in")}</label><div><Select id="category-parent" icon="folder" value={parent.value} onChange={(value) => { parent.value = value; }} options={[[0, t("category.top")], ...categories.value.filter((one) => one.id !== id && !one.is_default).map((one): [number, string] => [one.id, categoryPath(one.id)])]} /></div></div>
        <p id="category-problem" class="problem" role="alert">{problem.value}</p>
      </form>
    </Dialog>
  );
}

export function Slider({ label, value, min, max, step, show, onChange }: { label: string; value: number; min: number; max: number; step: number; show: string; onChange: (value: number) => void }) {
  return <span class="slider"><input type="range" aria-label={label} min={min} max={max} step={step} value={value} aria-valuetext={show} style={{ "--at": `${((value - min) / (max - min)) * 100}%` }} onInput={(event) => onChange(Number(event.currentTarget.value))} /><output>{show}</output></span>;
}

function TextDialog() {
  const { fontSize, lineHeight, measure, theme } = prefs.value;
  const row = (label: Key, control: preact.ComponentChildren) => <div class="form-row"><span>{t(label)}</span><div>{control}</div></div>;
  return (
    <Dialog title={t("article.text")} class="small text-dialog" onClose={close} foot={<><a class="text" href="/settings/appearance" onClick={close}>{t("text.more")}</a><span class="grow" /><button type="button" class="primary" data-autofocus onClick={close}>{t("done")}</button></>}>
      {row("appearance.size", <Slider label={t("appearance.size")} value={fontSize} min={14} max={26} step={0.5} show={`${fontSize} px`} onChange={(value) => setPrefs({ fontSize: value })} />)}
      {row("appearance.line", <Slider label={t("appearance.line")} value={lineHeight} min={1.3} max={2} step={0.05} show={lineHeight.toFixed(2)} onChange={(value) => setPrefs({ lineHeight: value })} />)}
      {row("appearance.width", <Slider label={t("appearance.width")} value={measure} min={48} max={90} step={1} show={t("appearance.chars", { n: measure })} onChange={(value) => setPrefs({ measure: value })} />)}
      {row("appearance.theme", <Select label={t("appearance.theme")} value={theme} onChange={(value) => setPrefs({ theme: value })} options={(["auto", "light", "dark", "sepia", "black", "contrast"] as const).map((name) => [name, t(`theme.${name}`)])} />)}
    </Dialog>
  );
}

function More() {
  const links: [string, string, Key][] = [["/r/history", "history", "view.history"], ["/feeds", "list-checks", "manage.title"], ["/import", "file-input", "import.title"], ["/settings/reading", "settings-2", "settings"], ["/settings/appearance", "a-large-small", "settings.appearance"]];
  return (
    <Dialog title={t("more")} class="sheet" onClose={close}>
      <ul class="sheet-list">
        <li><button type="button" onClick={() => { dialog.value = { kind: "add", url: "" }; }}><Icon name="plus" size={20} />{t("add.feed")}</button></li>
        {links.map(([path, icon, key]) => <li key={path}><a href={path} onClick={close}><Icon name={icon} size={20} />{t(key)}</a></li>)}
        {isAdmin.value && <li><a href="/admin" onClick={close}><Icon name="gauge" size={20} />{t("admin.title")}</a></li>}
        <li><button type="button" onClick={() => { dialog.value = { kind: "help" }; }}><Icon name="circle-question-mark" size={20} />{t("keys.title")}</button></li>
      </ul>
    </Dialog>
  );
}

function SaveSearch({ query }: { query: string }) {
  const name = useSignal(query.slice(0, 80)), problem = useSignal("");
  const save = async (): Promise<void> => {
    try { const made = await post<SavedSearchBody>("/api/saved-searches", { name: name.value.trim(), query }); searches.value = [...searches.value, made]; show({ text: t("search.saved") }); close(); } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  return (
    <Dialog title={t("search.save")} class="small" onClose={close} foot={<><span class="grow" /><button type="button" class="plain" onClick={close}>{t("cancel")}</button><button type="button" class="primary" disabled={!name.value.trim()} onClick={() => void save()}>{t("save")}</button></>}>
      <form onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <div class="form-row"><label for="search-name">{t("category.name")}</label><div><input id="search-name" data-autofocus class="input" value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} /></div></div>
        <p class="problem" role="alert">{problem.value}</p>
      </form>
    </Dialog>
  );
}
