//! `application/vnd.kubernetes.protobuf` bodies, as client-go writes them:
//! * `wire`: the protobuf wire format;
//! * `message`: a message against a type, giving the JSON that Go would write;
//! * `special`: the messages whose JSON form is not an object;
//! * `envelope`: the `k8s\0` prefix and `runtime.Unknown` around a message.

mod envelope;
mod message;
mod special;
mod wire;

pub(crate) use envelope::decode;
