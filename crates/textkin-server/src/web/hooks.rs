//! Webhooks: where alerts go, what became of each, and again.

use axum::extract::Path;
use textkin_web::page::WebhooksPage;
use textkin_web::view::{DeliveryRow, DeliveryState, NavItem, NewSecret, WebhookRow, Webhooks};

use super::reply::{Reply, html, iso, shown, to};
use super::visitor::{Posted, Visitor};
use crate::service::{DeliveryState as State, NewHook};

/// Deliveries in the log.
const MAX: u32 = 50;

async fn show(visitor: &Visitor, shown: Webhooks) -> Reply {
    let (hooks, deliveries) = visitor
        .run(|service, actor| {
            Ok((service.hooks(actor)?, service.deliveries(actor, None, None, MAX)?))
        })
        .await?;
    let name = |id: i64| {
        let hook = hooks.iter().find(|hook| hook.id == id);
        hook.map_or(String::new(), |hook| hook.name.clone())
    };
    let rows = hooks.iter().map(|hook| WebhookRow {
        id: hook.id.to_string(),
        name: hook.name.clone(),
        url: hook.url.clone(),
        last_delivered: hook.last_delivered.map(iso),
        problem: (hook.last == Some(State::Failed))
            .then(|| "the last delivery was given up".to_owned()),
    });
    let log = deliveries.iter().filter_map(|delivery| {
        let webhook = delivery.webhook?;
        Some(DeliveryRow {
            id: delivery.id.to_string(),
            webhook: webhook.to_string(),
            name: name(webhook),
            event: match delivery.alert {
                Some(alert) => format!("alert {alert}"),
                None => "test".to_owned(),
            },
            time: iso(delivery.created),
            state: match delivery.state {
                State::Waiting => DeliveryState::Waiting,
                State::Done => DeliveryState::Done,
                State::Failed => DeliveryState::Failed,
            },
            response: delivery.answer.clone(),
            attempts: delivery.attempts,
        })
    });
    let view = Webhooks { rows: rows.collect(), deliveries: log.collect(), ..shown };
    Ok(html(WebhooksPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /settings/webhooks`.
pub(super) async fn page(visitor: Visitor) -> Reply {
    show(&visitor, Webhooks::default()).await
}

/// `POST /settings/webhooks`.
pub(super) async fn change(posted: Posted) -> Reply {
    let Posted { visitor, fields } = posted;
    if fields.get("action") == "remove" {
        let id: i64 = fields.number("webhook").unwrap_or(0);
        visitor.run(move |service, actor| service.delete_hook(actor, id)).await?;
        return Ok(to("/settings/webhooks?said=removed"));
    }
    let url = fields.get("url").trim().to_owned();
    let name = fields.get("name").trim().to_owned();
    let new = NewHook {
        name: Some(name.clone()),
        url: url.clone(),
        secret: fields.given("secret").map(str::to_owned),
    };
    match visitor.run(move |service, actor| service.new_hook(actor, &new)).await {
        Ok(made) => {
            let new = Some(NewSecret { name: made.name, secret: made.secret.unwrap_or_default() });
            show(&visitor, Webhooks { new, ..Webhooks::default() }).await
        }
        Err(error) => {
            let problem = Some(shown(error)?);
            show(&visitor, Webhooks { name, url, problem, ..Webhooks::default() }).await
        }
    }
}

/// `POST /settings/webhooks/{id}/test`.
pub(super) async fn test(Path(id): Path<i64>, posted: Posted) -> Reply {
    posted.visitor.run(move |service, actor| service.test_hook(actor, id)).await?;
    Ok(to("/settings/webhooks"))
}

/// `POST /settings/webhooks/{id}/resend`.
pub(super) async fn resend(Path(_): Path<i64>, posted: Posted) -> Reply {
    let delivery: i64 = posted.fields.number("delivery").unwrap_or(0);
    posted.visitor.run(move |service, actor| service.resend(actor, delivery)).await?;
    Ok(to("/settings/webhooks?said=retry"))
}
