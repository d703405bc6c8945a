//! `/api/feeds/import-opml`, `/api/feeds/export-opml` and the jobs behind them.

use crate::support::{Answer, Api, Person};
use axum::body::Body;
use axum::http::Request;
use model::ImportId;
use serde_json::{Value, json};
use testkit::World;

on_both!(
    a_list_is_imported_and_the_import_undone,
    a_form_is_read,
    a_dry_run_writes_nothing,
    what_is_no_list_is_refused,
    a_job_belongs_to_its_user,
    a_list_is_exported,
);

const LIST: &str = r#"<opml version="2.0"><body>
    <outline text="News"><outline text="One" type="rss" xmlUrl="https://one.example/feed"/></outline>
    <outline text="Two" type="rss" xmlUrl="https://two.example/feed"/>
    <outline text="Bad" type="rss" xmlUrl="ftp://three.example/feed"/>
</body></opml>"#;

fn request(who: &Person, query: &str, content_type: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::post(format!("/api/feeds/import-opml{query}")).header("content-type", content_type);
    request.header("authorization", format!("Bearer {}", who.token)).body(body.into()).unwrap()
}

/// Sends a list, and does the job that it asks for.
async fn import(api: &Api, who: &Person, request: Request<Body>) -> Answer {
    let engine = &api.world.engine;
    let done = async {
        loop {
            let run = engine.store().imports(who.user).await.unwrap().into_iter().find(|run| run.finished_at.is_none());
            if let Some(run) = run {
                return reader::run_import(engine, run.id).await.unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = api.send(request) => answer,
        () = async { done.await; std::future::pending().await } => unreachable!("it waits"),
    }
}

async fn titles(api: &Api, who: &Person) -> Vec<String> {
    let all = api.world.engine.store().followed(who.user).await.unwrap();
    all.iter().map(|feed| feed.title().to_owned()).collect()
}

async fn a_list_is_imported_and_the_import_undone(world: World) {
    let api = Api::new(world).await;
    let answer = import(&api, &api.ada, request(&api.ada, "", "text/x-opml", LIST)).await.expect(200);
    assert_eq!((&answer["imported"], &answer["skipped"]), (&json!(2), &json!(0)));
    assert!(answer["errors"][0].as_str().is_some_and(|why| why.contains("http")), "{answer}");
    assert_eq!(titles(&api, &api.ada).await, ["One", "Two"]);
    let path = format!("/api/jobs/{}", answer["job_id"]);
    let job = api.get(&api.ada, &path).await.expect(200);
    assert_eq!((&job["kind"], &job["state"], &job["id"]), (&json!("import"), &json!("done"), &answer["job_id"]));
    assert_eq!((&job["total"], &job["done"], &job["imported"]), (&json!(2), &json!(2), &json!(2)));
    assert_eq!(job["errors"], answer["errors"]);

    let again = import(&api, &api.ada, request(&api.ada, "", "text/x-opml", LIST)).await.expect(200);
    assert_eq!(
        (&again["imported"], &again["skipped"]),
        (&json!(2), &json!(0)),
        "within the same moment they are its own"
    );

    assert_eq!(api.post(&api.ada, &format!("{path}/undo"), Value::Null).await.expect(200)["state"], "undone");
    assert_eq!(titles(&api, &api.ada).await, [] as [&str; 0]);
    assert_eq!(api.post(&api.ada, &format!("{path}/undo"), Value::Null).await.status, 409);
    assert_eq!(api.get(&api.ada, &path).await.expect(200)["state"], "undone");
}

async fn a_form_is_read(world: World) {
    let api = Api::new(world).await;
    let form = format!(
        "--b0undary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"feeds.opml\"\r\n\
         Content-Type: text/xml\r\n\r\n{LIST}\r\n--b0undary--\r\n"
    );
    let kind = "multipart/form-data; boundary=b0undary";
    let answer = import(&api, &api.ada, request(&api.ada, "", kind, form.clone())).await.expect(200);
    assert_eq!(answer["imported"], 2);
    let other = form.replace("name=\"file\"", "name=\"list\"");
    assert_eq!(api.send(request(&api.ada, "", kind, other)).await.expect(422)["reason"], "file");
    assert_eq!(api.send(request(&api.ada, "", "multipart/form-data", form)).await.expect(422)["reason"], "file");
}

async fn a_dry_run_writes_nothing(world: World) {
    let api = Api::new(world).await;
    let answer = api.send(request(&api.ada, "?dry_run=true", "text/xml", LIST)).await.expect(200);
    assert_eq!((&answer["imported"], &answer["skipped"], &answer["job_id"]), (&json!(2), &json!(0), &Value::Null));
    let store = api.world.engine.store();
    assert_eq!((titles(&api, &api.ada).await.len(), store.imports(api.ada.user).await.unwrap().len()), (0, 0));
    assert_eq!(store.categories(api.ada.user).await.unwrap().len(), 1);
    import(&api, &api.ada, request(&api.ada, "", "text/xml", LIST)).await.expect(200);
    let answer = api.send(request(&api.ada, "?dry_run=true", "text/xml", LIST)).await.expect(200);
    assert_eq!((&answer["imported"], &answer["skipped"]), (&json!(0), &json!(2)));
}

async fn what_is_no_list_is_refused(world: World) {
    let api = Api::new(world).await;
    for query in ["", "?dry_run=true"] {
        for body in ["<html><p>hello", "{}", "\0\0\0", "<opml><body></bo"] {
            let said = api.send(request(&api.ada, query, "text/xml", body)).await.expect(422);
            assert_eq!(said["code"], "not_opml", "{body}");
            assert!(said["detail"].as_str().unwrap().contains("no list of feeds"), "{said}");
        }
        assert_eq!(api.send(request(&api.ada, query, "text/xml", "")).await.expect(422)["reason"], "file");
        let large = vec![b' '; 20_000_000];
        assert_eq!(api.send(request(&api.ada, query, "text/xml", large)).await.expect(413)["code"], "too_large");
    }
    assert_eq!(api.send(request(&api.ada, "?dry_run=perhaps", "text/xml", LIST)).await.status, 422);
    assert!(api.world.engine.store().imports(api.ada.user).await.unwrap().is_empty());
    // Fifteen megabytes are a list.
    let large = LIST.replace("</body>", &format!("{}</body>", " ".repeat(15_000_000)));
    assert_eq!(api.send(request(&api.ada, "?dry_run=true", "text/xml", large)).await.expect(200)["imported"], 2);
}

async fn a_job_belongs_to_its_user(world: World) {
    let api = Api::new(world).await;
    let id = import(&api, &api.ada, request(&api.ada, "", "text/xml", LIST)).await.expect(200)["job_id"].clone();
    let path = format!("/api/jobs/{id}");
    assert_eq!(api.get(&api.bob, &path).await.detail(404), "Job not found");
    assert_eq!(api.post(&api.bob, &format!("{path}/undo"), Value::Null).await.detail(404), "Job not found");
    assert_eq!(titles(&api, &api.ada).await.len(), 2);
    assert_eq!(api.get(&api.ada, "/api/jobs/99").await.detail(404), "Job not found");
    // One that nobody has begun.
    let store = api.world.engine.store();
    let waiting = store.create_import(api.ada.user, LIST, (2, &[]), "reader.import", api.world.now()).await.unwrap();
    assert_ne!(waiting, ImportId(id.as_i64().unwrap()));
    let job = api.get(&api.ada, &format!("/api/jobs/{waiting}")).await.expect(200);
    assert_eq!((&job["state"], &job["finished_at"]), (&json!("pending"), &Value::Null));
    assert_eq!(api.post(&api.ada, &format!("/api/jobs/{waiting}/undo"), Value::Null).await.status, 409);
}

async fn a_list_is_exported(world: World) {
    let api = Api::new(world).await;
    import(&api, &api.ada, request(&api.ada, "", "text/xml", LIST)).await.expect(200);
    let store = api.world.engine.store();
    let two = store.followed(api.ada.user).await.unwrap().into_iter().find(|feed| feed.title() == "Two").unwrap().feed;
    assert!(store.set_owner(two, Some(api.ada.user), api.world.now()).await.unwrap());
    let answer = api.get(&api.ada, "/api/feeds/export-opml").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/xml; charset=utf-8"));
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"courant.opml\"");
    assert!(answer.text().contains("https://one.example/feed") && answer.text().contains("News"), "{}", answer.text());
    assert!(!answer.text().contains("https://two.example/feed"), "private addresses only when they are asked for");
    let all = api.get(&api.ada, "/api/feeds/export-opml?private=true").await.text();
    assert!(all.contains("https://two.example/feed"), "{all}");
    let of_bob = api.get(&api.bob, "/api/feeds/export-opml?private=true").await.text();
    assert!(of_bob.contains("<opml") && !of_bob.contains("example/feed"), "{of_bob}");
}
