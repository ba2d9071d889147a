//! A headless Chromium with one page, driven through its debugging pipe: JSON messages, each ended by a zero byte. No
//! WebDriver and no HTTP client are needed for that.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Once;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for an answer or an event.
const LIMIT: Duration = Duration::from_secs(60);
/// Switches that keep Chromium to itself.
const SWITCHES: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
];

/// Whether the test is to be left out, since Chromium is not installed: said once. Where `PARASCAN_HOME` is set, as by
/// `cargo xtask test`, it must be there.
pub fn missing() -> bool {
    static SAID: Once = Once::new();
    let there = |folder: std::path::PathBuf| folder.join("chromium").is_file();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing =
        std::env::var_os("PARASCAN_HOME").is_none() && !std::env::split_paths(&path).any(there);
    if missing {
        // Not by `eprintln!`, which is shown for failures only.
        SAID.call_once(|| {
            let _ = writeln!(
                std::io::stderr(),
                "left out: tests that need Chromium; `cargo xtask test` installs it and runs them"
            );
        });
    }
    missing
}

/// A browser with one page; ends with this value.
pub struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// Events seen so far.
    events: Vec<Value>,
    /// Everything that it writes, which goes with it.
    profile: PathBuf,
}

impl Browser {
    /// Starts one, with a window of this size.
    pub fn new(width: u32, height: u32) -> Self {
        let profile = tempfile::tempdir()
            .expect("a folder for the browser")
            .keep();
        // Chromium reads commands from descriptor 3 and answers on 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 >/dev/null 2>&1", "sh"])
            .args(SWITCHES)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("about:blank")
            // It leaves folders behind when it is killed.
            .env("TMPDIR", &profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("sh runs");
        let commands = child.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let value = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            child,
            commands,
            messages,
            session: None,
            last: 0,
            events: Vec::new(),
            profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
        browser
    }

    /// Sends a command and waits for its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.commands
            .write_all(&bytes)
            .expect("chromium runs; is the Debian package `chromium` installed?");
        let end = Instant::now() + LIMIT;
        loop {
            let mut answer = self.receive(end, method);
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self, end: Instant, waiting_for: &str) -> Value {
        let left = end.saturating_duration_since(Instant::now());
        self.messages.recv_timeout(left).unwrap_or_else(|_| {
            panic!("chromium does not answer to {waiting_for}; is the Debian package `chromium` installed?")
        })
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        self.events.retain(|e| e["method"] != "Page.loadEventFired");
        self.call(
            "Page.navigate",
            json!({"url": format!("file://{}", path.display())}),
        );
        let end = Instant::now() + LIMIT;
        while !self
            .events
            .iter()
            .any(|e| e["method"] == "Page.loadEventFired")
        {
            let event = self.receive(end, "the page's load");
            self.events.push(event);
        }
        self.settle();
    }

    /// Waits until everything that was asked for has been drawn.
    pub fn settle(&mut self) {
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    /// The value of a JavaScript expression; promises are awaited.
    pub fn eval(&mut self, expression: &str) -> Value {
        let mut result = self.call(
            "Runtime.evaluate",
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {}",
            result["exceptionDetails"]
        );
        result["result"]["value"].take()
    }

    /// The same, for text.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        match value {
            Value::String(text) => text,
            other => panic!("{expression}: {other} is not text"),
        }
    }

    /// Middle of the element that a selector finds, brought into view.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({0}); e.scrollIntoView({{block: 'center', inline: 'center'}}); \
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()",
            json!(selector)
        ));
        self.settle();
        let (x, y) = (place[0].as_f64(), place[1].as_f64());
        x.zip(y).unwrap_or_else(|| panic!("{selector}: {place}"))
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}),
        );
    }

    /// Moves the mouse over an element.
    pub fn hover(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.mouse("mouseMoved", x, y);
        self.settle();
    }

    /// Clicks on an element.
    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, x, y);
        }
        self.settle();
    }

    /// Drags from the middle of an element to the right.
    pub fn drag(&mut self, selector: &str, distance: f64) {
        let (x, y) = self.middle(selector);
        self.mouse("mouseMoved", x, y);
        self.mouse("mousePressed", x, y);
        self.mouse("mouseMoved", x + distance / 2.0, y);
        self.mouse("mouseMoved", x + distance, y);
        self.mouse("mouseReleased", x + distance, y);
        self.settle();
    }

    /// Turns the mouse wheel over an element, with Ctrl held down or not; negative is away from the user.
    pub fn wheel(&mut self, selector: &str, delta: f64, ctrl: bool) {
        let (x, y) = self.middle(selector);
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta, "modifiers": if ctrl { 2 } else { 0 }}),
        );
        self.settle();
    }

    /// Presses a key by its name (`ArrowDown`, `Enter`, `a`).
    pub fn key(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            "Home" => 36,
            "End" => 35,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "PageDown" => 34,
            " " => 32,
            _ => 0,
        };
        let mut event = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
        if key == "Enter" {
            event["text"] = json!("\r");
        } else if key.chars().count() == 1 {
            event["text"] = json!(key);
        }
        self.call("Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.call("Input.dispatchKeyEvent", event);
        self.settle();
    }

    /// Types text where the focus is.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
        self.settle();
    }

    /// Chooses light or dark, screen or print.
    pub fn media(&mut self, media: &str, scheme: &str) {
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        self.settle();
    }

    /// Everything the page complained about: console messages, exceptions, what was blocked.
    pub fn complaints(&mut self) -> Vec<String> {
        self.settle();
        let methods = [
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
        ];
        let events = self.events.iter();
        events
            .filter(|e| methods.iter().any(|m| e["method"] == *m))
            .map(|e| e["params"].to_string())
            .collect()
    }

    /// Addresses that the page asked for.
    pub fn requests(&mut self) -> Vec<String> {
        self.settle();
        let events = self
            .events
            .iter()
            .filter(|e| e["method"] == "Network.requestWillBeSent");
        events
            .filter_map(|e| Some(e["params"]["request"]["url"].as_str()?.to_owned()))
            .collect()
    }

    /// Role and name of every node of the accessibility tree that is not ignored.
    pub fn accessible(&mut self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        nodes
            .iter()
            .filter(|node| node["ignored"] == false)
            .map(|node| (text(&node["role"]), text(&node["name"])))
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The shell became the browser. Its helpers end with it: a while later they would still write into the folder.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
        // They are about to end, and what one writes while a folder is emptied keeps it from being removed.
        let end = Instant::now() + LIMIT;
        while std::fs::remove_dir_all(&self.profile).is_err() && self.profile.exists() {
            if Instant::now() > end {
                // A test that fails already must say its own reason.
                assert!(
                    std::thread::panicking(),
                    "{} is left",
                    self.profile.display()
                );
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
