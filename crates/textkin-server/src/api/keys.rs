//! API keys, accounts, teams and invitations.

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::caller::{Caller, JsonBody, PathParams};
use super::problem::ApiError;
use super::problem::Problem;
use textkin_registry::{
    AccountView, InvitationView, KeyId, KeyView, MemberChange, NewKey, Role, TeamView,
};

/// Lists the API keys of the account.
#[utoipa::path(get, path = "/api/v1/keys", tag = "accounts",
    responses((status = 200, body = Vec<KeyView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn list(caller: Caller) -> Result<Json<Vec<KeyView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.keys(actor)).await?))
}

/// Creates an API key. Only this response contains it.
#[utoipa::path(post, path = "/api/v1/keys", tag = "accounts", request_body = NewKey,
    responses((status = 201, body = KeyView), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn create(
    caller: Caller,
    JsonBody(new): JsonBody<NewKey>,
) -> Result<(StatusCode, Json<KeyView>), ApiError> {
    let created = caller.run(move |service, actor| service.new_key(actor, &new)).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Revokes an API key.
#[utoipa::path(delete, path = "/api/v1/keys/{id}", tag = "accounts",
    params(("id" = KeyId, Path, description = "The ID")),
    responses((status = 204, description = "Revoked"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn revoke(
    caller: Caller,
    PathParams(id): PathParams<KeyId>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.revoke_key(actor, id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists all accounts. Requires an administrator.
#[utoipa::path(get, path = "/api/v1/accounts", tag = "accounts",
    responses((status = 200, body = Vec<AccountView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn accounts(caller: Caller) -> Result<Json<Vec<AccountView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.accounts(actor)).await?))
}

/// A new account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAccount {
    /// The account name.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    name: String,
    /// The mail address.
    #[serde(default)]
    mail: Option<String>,
    /// The password, at least 10 characters; without one the account cannot sign in.
    #[serde(default)]
    #[schema(min_length = 10, max_length = 1000)]
    password: Option<String>,
    /// Whether the account is an administrator.
    #[serde(default)]
    is_admin: bool,
}

/// Creates an account. Requires an administrator.
#[utoipa::path(post, path = "/api/v1/accounts", tag = "accounts", request_body = NewAccount,
    responses((status = 201, description = "Created"), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn new_account(
    caller: Caller,
    JsonBody(new): JsonBody<NewAccount>,
) -> Result<StatusCode, ApiError> {
    caller
        .run(move |service, actor| {
            let (mail, password) = (new.mail.as_deref(), new.password.as_deref());
            service.new_account(actor, &new.name, mail, password, new.is_admin)
        })
        .await?;
    Ok(StatusCode::CREATED)
}

/// Lists the teams of the account.
#[utoipa::path(get, path = "/api/v1/teams", tag = "accounts",
    responses((status = 200, body = Vec<TeamView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn teams(caller: Caller) -> Result<Json<Vec<TeamView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.teams(actor)).await?))
}

/// A new team.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTeam {
    /// The team name.
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    name: String,
}

/// Creates a team. The account becomes its owner.
#[utoipa::path(post, path = "/api/v1/teams", tag = "accounts", request_body = NewTeam,
    responses((status = 201, description = "Created"), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 409, body = Problem), (status = 415, body = Problem),
              (status = 422, body = Problem)))]
pub(crate) async fn new_team(
    caller: Caller,
    JsonBody(new): JsonBody<NewTeam>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.new_team(actor, &new.name)).await?;
    Ok(StatusCode::CREATED)
}

/// The role of a member.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewRole {
    /// The role.
    role: Role,
}

/// Changes the role of a member, or invites an account to the team. Requires an owner of the team.
#[utoipa::path(put, path = "/api/v1/teams/{team}/members/{account}", tag = "accounts",
    params(("team" = String, Path, description = "The team"),
           ("account" = String, Path, description = "The account")),
    request_body = NewRole,
    responses((status = 202, description = "Invited; the account becomes a member when it accepts"),
              (status = 204, description = "The role of the member is changed"), (status = 400, body = Problem),
              (status = 401, body = Problem), (status = 403, body = Problem),
              (status = 404, body = Problem), (status = 409, body = Problem),
              (status = 415, body = Problem), (status = 422, body = Problem)))]
pub(crate) async fn set_member(
    caller: Caller,
    PathParams((team, account)): PathParams<(String, String)>,
    JsonBody(new): JsonBody<NewRole>,
) -> Result<StatusCode, ApiError> {
    let change = caller
        .run(move |service, actor| service.set_member(actor, &team, &account, new.role))
        .await?;
    Ok(match change {
        MemberChange::Invited => StatusCode::ACCEPTED,
        MemberChange::RoleChanged => StatusCode::NO_CONTENT,
    })
}

/// Removes a member or withdraws an invitation. Requires an owner of the team; members can remove
/// themselves, which leaves the team.
#[utoipa::path(delete, path = "/api/v1/teams/{team}/members/{account}", tag = "accounts",
    params(("team" = String, Path, description = "The team"),
           ("account" = String, Path, description = "The account")),
    responses((status = 204, description = "Done"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem),
              (status = 409, body = Problem)))]
pub(crate) async fn remove_member(
    caller: Caller,
    PathParams((team, account)): PathParams<(String, String)>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.remove_member(actor, &team, &account)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the invitations that the account has not answered, latest first.
#[utoipa::path(get, path = "/api/v1/invitations", tag = "accounts",
    responses((status = 200, body = Vec<InvitationView>), (status = 401, body = Problem),
              (status = 403, body = Problem)))]
pub(crate) async fn invitations(caller: Caller) -> Result<Json<Vec<InvitationView>>, ApiError> {
    Ok(Json(caller.run(|service, actor| service.invitations(actor)).await?))
}

/// Accepts an invitation. The account becomes a member of the team.
#[utoipa::path(post, path = "/api/v1/invitations/{team}/accept", tag = "accounts",
    params(("team" = String, Path, description = "The team")),
    responses((status = 204, description = "Accepted"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn accept_invitation(
    caller: Caller,
    PathParams(team): PathParams<String>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.answer_invitation(actor, &team, true)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Declines an invitation.
#[utoipa::path(delete, path = "/api/v1/invitations/{team}", tag = "accounts",
    params(("team" = String, Path, description = "The team")),
    responses((status = 204, description = "Declined"), (status = 401, body = Problem),
              (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(crate) async fn decline_invitation(
    caller: Caller,
    PathParams(team): PathParams<String>,
) -> Result<StatusCode, ApiError> {
    caller.run(move |service, actor| service.answer_invitation(actor, &team, false)).await?;
    Ok(StatusCode::NO_CONTENT)
}
