//! What one listener allows: sizes, numbers, times.

use std::time::Duration;

/// What a listener allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a message.
    pub max_message_bytes: usize,
    /// Bytes of all messages that are being received at one time.
    pub max_bytes_in_flight: usize,
    /// Bytes of a command.
    pub max_command_bytes: usize,
    /// Bytes of a line of a message.
    pub max_line_bytes: usize,
    /// Recipients of a message.
    pub max_recipients: usize,
    /// Messages of a connection.
    pub max_messages: usize,
    /// Commands of a connection.
    pub max_commands: usize,
    /// Commands of a connection that were refused; with the next it ends.
    pub max_errors: usize,
    /// Connections at one time.
    pub max_connections: usize,
    /// Connections at one time from one address (of IPv6, from one network of 64 bits).
    pub max_connections_per_peer: usize,
    /// How long a command may take to arrive, and a reply to leave.
    pub command_timeout: Duration,
    /// How long a message may take to arrive.
    pub data_timeout: Duration,
    /// How long the desk may take.
    pub handler_timeout: Duration,
    /// How long connections may go on after the listener was told to stop.
    pub grace_period: Duration,
}

impl Default for Limits {
    /// Messages of 32 MiB, 256 MiB of them at one time, 64 connections, 8 from one address; a
    /// minute for a command, five for a message.
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
