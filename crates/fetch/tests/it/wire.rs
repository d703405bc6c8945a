//! Answers that are cut, doubled, mislabelled or no HTTP at all.

use crate::origin::Origin;
use crate::{at_home, failure, told, visit_with};
use model::visit::Failure;
use tokio::net::TcpSocket;

#[track_caller]
fn is_protocol(case: &str, failure: &Failure) {
    assert!(matches!(failure, Failure::Protocol(_)), "{case}: {failure:?}");
}

#[tokio::test]
async fn bodies_come_as_far_as_they_got() {
    for (case, answer, expected) in [
        (
            "chunked",
            "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n2;x=y\r\nef\r\n0\r\nX-T: 1\r\n\r\n",
            "200 identity 6/6",
        ),
        (
            "chunked, cut",
            "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n9\r\nef",
            "200 identity 6/6 the body ends early",
        ),
        (
            "chunked, no last chunk",
            "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n",
            "200 identity 4/4 the body ends early",
        ),
        ("length too long", "Content-Length: 9\r\n\r\nabc", "200 identity 3/3 the body ends early"),
        ("length too short", "Content-Length: 2\r\n\r\nabcdef", "200 identity 2/2"),
        (
            "both length and chunks",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            "200 identity 1/1",
        ),
        ("to the end", "Connection: close\r\n\r\nabc", "200 identity 3/3"),
    ] {
        let origin = Origin::saying(format!("HTTP/1.1 200 OK\r\n{answer}")).await;
        assert_eq!(told(&visit_with(at_home(), &origin.url("/")).await), expected, "{case}");
    }
}

#[tokio::test]
async fn chunks_that_are_no_chunks_are_corrupt() {
    let origin = Origin::saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n").await;
    let told = told(&visit_with(at_home(), &origin.url("/")).await);
    assert!(told.starts_with("200 identity 2/2 the body is corrupt"), "{told}");
}

#[tokio::test]
async fn a_reset_in_the_middle_keeps_what_came() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc").await;
        caller.reset();
    })
    .await;
    // What had arrived when the reset did is the kernel's choice; that it is not taken for whole is ours.
    let exchange = visit_with(at_home(), &origin.url("/")).await;
    let whole = exchange.answer.as_ref().is_ok_and(|answer| answer.stopped.is_none());
    assert!(!whole, "{}", told(&exchange));
}

#[tokio::test]
async fn what_is_no_http_breaks_the_protocol() {
    for (case, answer) in [
        ("nothing at all", ""),
        ("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        ("no status line", "<rss/>\r\n\r\n"),
        ("no number", "HTTP/1.1 OK\r\n\r\n"),
        ("a number out of range", "HTTP/1.1 99999 OK\r\n\r\n"),
        ("half a head", "HTTP/1.1 200 OK\r\nContent-Type: te"),
        ("lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        ("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab"),
    ] {
        let origin = Origin::saying(answer).await;
        is_protocol(case, &failure(visit_with(at_home(), &origin.url("/")).await));
    }
}

#[tokio::test]
async fn a_closed_port_says_so() {
    // Bound and not listening: nobody else can listen there in the meantime.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let exchange = visit_with(at_home(), &format!("http://{}/", closed.local_addr().unwrap())).await;
    assert_eq!(told(&exchange), "no connection: connection refused");
    assert_eq!(exchange.address, None, "nobody was reached");
}
