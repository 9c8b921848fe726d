//! Limits of a listener: sizes, counts, times.

use std::time::Duration;

/// Limits of a listener.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum bytes of a message.
    pub max_message_bytes: usize,
    /// Maximum bytes of all messages being received at the same time.
    pub max_bytes_in_flight: usize,
    /// Maximum bytes of a command.
    pub max_command_bytes: usize,
    /// Maximum bytes of a line in a message.
    pub max_line_bytes: usize,
    /// Maximum recipients of a message.
    pub max_recipients: usize,
    /// Maximum messages per connection.
    pub max_messages: usize,
    /// Maximum commands per connection.
    pub max_commands: usize,
    /// Maximum rejected commands per connection; one more closes it.
    pub max_errors: usize,
    /// Maximum simultaneous connections.
    pub max_connections: usize,
    /// Maximum simultaneous connections from one address (for IPv6, from one /64 network).
    pub max_connections_per_peer: usize,
    /// Time limit for receiving a command and for sending a reply.
    pub command_timeout: Duration,
    /// Time limit for receiving a message.
    pub data_timeout: Duration,
    /// Time limit for the handler.
    pub handler_timeout: Duration,
    /// How long connections may continue after the listener is stopped.
    pub grace_period: Duration,
}

impl Default for Limits {
    /// Messages of 32 MiB, 256 MiB of messages at the same time, 64 connections, 8 from one address;
    /// 1 minute for a command, 5 for a message.
    fn default() -> Self {
        Self {
            max_message_bytes: 32 << 20,
            max_bytes_in_flight: 256 << 20,
            max_command_bytes: 2048,
            max_line_bytes: 128 << 10,
            max_recipients: 20,
            max_messages: 100,
            max_commands: 1000,
            max_errors: 10,
            max_connections: 64,
            max_connections_per_peer: 8,
            command_timeout: Duration::from_secs(60),
            data_timeout: Duration::from_secs(300),
            handler_timeout: Duration::from_secs(60),
            grace_period: Duration::from_secs(10),
        }
    }
}
