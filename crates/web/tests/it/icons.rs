//! `/api/icons`.

use crate::support::Api;
use axum::body::Body;
use axum::http::Request;
use model::Viewer;
use model::icon::Icon;
use testkit::World;

on_both!(an_icon_is_served_by_its_hash, what_is_no_raster_image_is_not_served, a_private_icon_is_its_owners);

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

/// Gives a feed of Ada's an icon; its path.
async fn keep(api: &Api, media_type: &str, bytes: &[u8]) -> String {
    let feed = api.feed_of_ada(&["one"]).await;
    let icon = Icon { url: "https://one.example/i".into(), media_type: media_type.into(), bytes: bytes.to_vec() };
    let store = api.world.engine.store();
    store.keep_icon(feed, "https://one.example", Some(&icon), api.world.now()).await.unwrap();
    let hash = store.icon_hashes(Viewer::Operator, &[feed]).await.unwrap()[&feed];
    format!("/api/icons/{}", data_encoding::HEXLOWER.encode(&hash))
}

async fn an_icon_is_served_by_its_hash(world: World) {
    let api = Api::new(world).await;
    // What the server called it does not count.
    let path = keep(&api, "text/html", PNG).await;
    let answer = api.get(&api.ada, &path).await;
    assert_eq!((answer.status, answer.bytes.as_slice()), (200, PNG));
    assert_eq!(answer.header("content-type"), "image/png");
    assert_eq!(answer.header("cache-control"), "private, max-age=604800, immutable");
    assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
    let etag = answer.header("etag").to_owned();
    assert!(etag.starts_with('"') && path.ends_with(etag.trim_matches('"')), "{etag}");

    let again = |etag: &str| {
        let request = Request::builder().uri(&path).header("authorization", format!("Bearer {}", api.ada.token));
        request.header("if-none-match", etag).body(Body::empty()).unwrap()
    };
    let same = api.send(again(&etag)).await;
    assert_eq!((same.status, same.bytes.len(), same.header("etag")), (304, 0, etag.as_str()));
    assert_eq!(api.send(again("\"other\"")).await.status, 200);
    for wrong in ["00", "zz", &path["/api/icons/".len() + 2..], &"0".repeat(64), &"é".repeat(32)] {
        let wrong = wrong.replace('é', "%C3%A9");
        assert_eq!(api.get(&api.ada, &format!("/api/icons/{wrong}")).await.detail(404), "Icon not found", "{wrong}");
    }
}

async fn what_is_no_raster_image_is_not_served(world: World) {
    let api = Api::new(world).await;
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    let path = keep(&api, "image/png", svg).await;
    assert_eq!(api.get(&api.ada, &path).await.detail(404), "Icon not found");
}

async fn a_private_icon_is_its_owners(world: World) {
    let api = Api::new(world).await;
    let path = keep(&api, "image/png", PNG).await;
    assert_eq!(api.get(&api.bob, &path).await.status, 200, "of a public feed");
    let store = api.world.engine.store();
    let feed = store.followed(api.ada.user).await.unwrap()[0].feed;
    assert!(store.set_owner(feed, Some(api.ada.user), api.world.now()).await.unwrap());
    assert_eq!(api.get(&api.bob, &path).await.detail(404), "Icon not found");
    assert_eq!(api.get(&api.ada, &path).await.status, 200);
}
