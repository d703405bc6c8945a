// The service worker: keeps the files of the shell, so that the app starts without a network. Articles are not kept here.
const worker = self as unknown as ServiceWorkerGlobalScope;
const CACHE = `courant-${__VERSION__}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["/r/unread", ...__FILES__])).then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)))).then(() => worker.clients.claim()));
});

const APP = /^\/(r|settings|feeds|import|add|welcome|login)?(\/|$)/;

worker.addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin) return;
  if (url.pathname.startsWith("/assets/")) {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  } else if (request.mode === "navigate" && APP.test(url.pathname)) {
    // The server first: its shell has the right theme and the newest files.
    event.respondWith(fetch(request).catch(() => caches.match("/r/unread").then((kept) => kept ?? Response.error())));
  }
});
