//! `/api/me/settings`.

use crate::support::Api;
use serde_json::{Value, json};
use testkit::World;

on_both!(settings_are_kept_and_checked);

const PATH: &str = "/api/me/settings";

async fn settings_are_kept_and_checked(world: World) {
    let api = Api::new(world).await;
    let defaults = json!({
        "theme": "auto", "density": "comfortable", "font_size": 18, "reading_mode": "split", "split_ratio": 40,
        "mark_read_on_scroll": false, "open_links": "new_tab", "images": "show", "locale": null, "summary_language": null,
        "sort": "newest", "unread_only": true, "toast_timeout_seconds": 2, "idle_refresh_seconds": 180,
        "suggestion_min_tags": 2, "ai": true, "app": {},
    });
    assert_eq!(api.get(&api.ada, PATH).await.expect(200), defaults);
    let mut expected = defaults.clone();
    for (field, value) in [("theme", json!("sepia")), ("locale", json!("pt-BR"))] {
        expected[field] = value.clone();
        assert_eq!(api.patch(&api.ada, PATH, json!({ field: value })).await.expect(200), expected);
    }
    assert_eq!(api.get(&api.ada, PATH).await.expect(200), expected);
    assert_eq!(api.get(&api.bob, PATH).await.expect(200), defaults, "his own");

    let wrong = [
        ("theme", json!("pink")),
        ("split_ratio", json!(81)),
        ("idle_refresh_seconds", json!(0)),
        ("suggestion_min_tags", json!(6)),
        ("is_admin", json!(true)),
    ];
    for (field, value) in wrong {
        for method in ["PUT", "PATCH"] {
            let answer = api.ask(&api.ada, method, PATH, json!({ "theme": "dark", field: value })).await.expect(422);
            assert_eq!(answer["reason"], field, "{method}");
        }
    }
    assert_eq!(api.put(&api.ada, PATH, json!([])).await.status, 422);
    assert_eq!(api.put(&api.ada, PATH, Value::Null).await.status, 400);
    assert_eq!(api.get(&api.ada, PATH).await.expect(200), expected, "nothing of it was kept");

    // What is left out of the whole becomes the default.
    let dark = api.put(&api.ada, PATH, json!({ "theme": "dark" })).await.expect(200);
    expected = defaults;
    expected["theme"] = json!("dark");
    assert_eq!((dark, api.get(&api.ada, PATH).await.expect(200)), (expected.clone(), expected));
}
