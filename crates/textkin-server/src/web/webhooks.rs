//! Webhooks: settings, delivery log, tests and resending.

use axum::extract::Path;
use textkin_web::page::WebhooksPage;
use textkin_web::view::{DeliveryRow, DeliveryState, NavItem, NewSecret, WebhookRow, Webhooks};

use super::response::{PageResult, form_problem, html, iso, to};
use super::visitor::{SubmittedForm, Visitor};
use textkin_registry::{DeliveryState as State, HookId, NewHook};

/// Maximum number of deliveries in the log.
const MAX: u32 = 50;

async fn show(visitor: &Visitor, form: Webhooks) -> PageResult {
    let (hooks, deliveries) = visitor
        .run(|service, actor| {
            Ok((service.hooks(actor)?, service.deliveries(actor, None, None, MAX)?))
        })
        .await?;
    let name = |id: HookId| {
        let hook = hooks.iter().find(|hook| hook.id == id);
        hook.map_or(String::new(), |hook| hook.name.clone())
    };
    let rows = hooks.iter().map(|hook| WebhookRow {
        id: hook.id.to_string(),
        name: hook.name.clone(),
        url: hook.url.clone(),
        last_delivered: hook.last_delivered.map(iso),
        problem: (hook.last == Some(State::Failed)).then(|| "the last delivery failed".to_owned()),
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
    let view = Webhooks { rows: rows.collect(), deliveries: log.collect(), ..form };
    Ok(html(WebhooksPage { frame: &visitor.frame(NavItem::Settings), view: &view }.render()?))
}

/// `GET /settings/webhooks`.
pub(super) async fn page(visitor: Visitor) -> PageResult {
    show(&visitor, Webhooks::default()).await
}

/// `POST /settings/webhooks`.
pub(super) async fn change(posted: SubmittedForm) -> PageResult {
    let SubmittedForm { visitor, fields } = posted;
    if fields.get("action") == "remove" {
        let id = fields.id("webhook", "webhook")?;
        visitor.run(move |service, actor| service.delete_hook(actor, id)).await?;
        return Ok(to("/settings/webhooks?notice=removed"));
    }
    let url = fields.get("url").trim().to_owned();
    let name = fields.get("name").trim().to_owned();
    let new = NewHook {
        name: Some(name.clone()),
        url: url.clone(),
        secret: fields.non_empty("secret").map(str::to_owned),
    };
    match visitor.run(move |service, actor| service.new_hook(actor, &new)).await {
        Ok(created) => {
            let new =
                Some(NewSecret { name: created.name, secret: created.secret.unwrap_or_default() });
            show(&visitor, Webhooks { new, ..Webhooks::default() }).await
        }
        Err(error) => {
            let problem = Some(form_problem(error)?);
            show(&visitor, Webhooks { name, url, problem, ..Webhooks::default() }).await
        }
    }
}

/// `POST /settings/webhooks/{id}/test`.
pub(super) async fn test(Path(id): Path<HookId>, posted: SubmittedForm) -> PageResult {
    posted.visitor.run(move |service, actor| service.test_hook(actor, id)).await?;
    Ok(to("/settings/webhooks"))
}

/// `POST /settings/webhooks/{id}/resend`.
pub(super) async fn resend(Path(_): Path<HookId>, posted: SubmittedForm) -> PageResult {
    let delivery = posted.fields.id("delivery", "delivery")?;
    posted.visitor.run(move |service, actor| service.resend(actor, delivery)).await?;
    Ok(to("/settings/webhooks?notice=retry"))
}
