// Browsers start no worker for a page that is opened from the disk: there a hidden frame takes the worker's place,
// so that the search works without a server.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...scripts) => scripts.reduce(
        (before, script) => before.then(() => load(frame, script)), Promise.resolve());
      this.receive = (data) => inside.dispatchEvent(new MessageEvent("message", { data }));
      this.addEventListener("message", (event) => this.onmessage?.(event));
      this.ready = load(frame, url);
    }

    postMessage(data) {
      this.ready.then(() => this.receive(data));
    }

    terminate() {}
  };
}

function load(frame, url) {
  return new Promise((done, failed) => {
    const script = frame.contentDocument.createElement("script");
    script.src = url;
    script.onload = done;
    script.onerror = failed;
    frame.contentDocument.body.append(script);
  });
}
