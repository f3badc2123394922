// Comforts only: without this file every page works, by links and buttons.
"use strict";
(() => {
  const AWAKE_MS = 400; // a second click of a double click must not answer the next page
  const POLL_MS = 1000;
  const MOST_POLL_MS = 5000;
  const began = performance.now();
  let sent = false;

  // A page that the browser kept (back button) may be an old step: ask for the current one.
  window.addEventListener("pageshow", (event) => {
    sent = false;
    if (event.persisted) window.location.reload();
  });

  document.addEventListener("submit", (event) => {
    if (event.target.method !== "post") return;
    if (sent || (event.target.matches(".choices") && performance.now() - began < AWAKE_MS)) {
      event.preventDefault();
      return;
    }
    sent = true;
  });

  document.addEventListener("keydown", (event) => {
    const busy = event.repeat || event.ctrlKey || event.metaKey || event.altKey;
    const typing = event.target.closest("input, textarea, select");
    if (busy || typing || document.querySelector("dialog[open]")) return;
    const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
    if (button) {
      event.preventDefault();
      button.click();
    }
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-document]");
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
    const dialog = link && document.getElementById(`document-${link.dataset.document}`);
    if (dialog && plain && dialog.showModal) {
      event.preventDefault();
      dialog.showModal();
    } else if (event.target instanceof HTMLDialogElement) {
      event.target.close(); // a click beside the abstract
    }
  });

  const work = document.querySelector("[data-progress]");
  if (work) {
    const bar = document.getElementById("work");
    const lines = document.getElementById("lines");
    let wait = POLL_MS;
    let shown = lines.textContent;
    const look = async () => {
      try {
        const answer = await fetch(work.dataset.progress, { headers: { Accept: "application/json" } });
        const state = await answer.json();
        if (answer.ok || answer.status === 401) {
          if (state.step !== work.dataset.step) {
            window.location.reload();
            return;
          }
          bar.value = state.done;
          const items = state.lines.map((line) => {
            const item = document.createElement("li");
            item.textContent = line;
            return item;
          });
          const text = state.lines.join("");
          if (text !== shown) lines.replaceChildren(...items); // said once by screen readers, not with every look
          shown = text;
        }
        wait = answer.ok ? Math.min(wait * 1.2, MOST_POLL_MS) : MOST_POLL_MS;
      } catch {
        wait = MOST_POLL_MS; // the server is away: ask again
      }
      setTimeout(look, wait);
    };
    setTimeout(look, wait);
  }

  const link = document.querySelector("textarea[readonly]");
  if (link) link.addEventListener("focus", () => link.select());
})();
