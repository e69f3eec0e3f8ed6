//! Request bodies, read whole up to a limit.

use axum::body::Body;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};

use crate::failure::Failure;

/// `MaxRequestBodyBytes` of the API server.
const MAX_BODY: usize = 3 * 1024 * 1024;

/// Reads a body.
pub(crate) async fn read(body: Body) -> Result<Bytes, Failure> {
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(Failure::too_large(MAX_BODY))
        }
        Err(error) => Err(Failure::bad_request(format!(
            "read the request body: {error}"
        ))),
    }
}
