"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  root.classList.add("live");

  find("theme").addEventListener("click", () => {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });

  // Sorting: the first click sorts numbers descending and names ascending.
  function sortBy(table, column) {
    const heads = [...table.tHead.rows[0].cells];
    const head = heads[column];
    const isNumber = head.dataset.kind === "number";
    const before = head.getAttribute("aria-sort");
    const isDown = before ? before === "ascending" : isNumber;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const value = (row) => {
      const cell = row.cells[column];
      return isNumber ? Number(cell.dataset.value) : cell.textContent;
    };
    const collator = new Intl.Collator("en", { numeric: true });
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row), row]);
    rows.sort(([a], [b]) => (isNumber ? a - b : collator.compare(a, b)) * (isDown ? -1 : 1));
    body.append(...rows.map(([, row]) => row));
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.tabIndex = 0;
      head.addEventListener("click", () => sortBy(table, column));
      head.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          sortBy(table, column);
        }
      });
    });
  }

  // Filtering: by part of a name, a whole name, a cluster, a minimum score.
  const tables = [...document.querySelectorAll("table.pairs")];
  const filter = find("filter");
  const minScore = find("min-score");
  const maxScore = find("max-score");
  const status = find("status");
  let cluster = null;
  let name = null;

  function apply() {
    const wanted = filter.value.trim().toLowerCase();
    const from = Number(minScore.value) || 0;
    const to = maxScore.value === "" ? Infinity : Number(maxScore.value);
    const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
    let n = 0;
    for (const row of rows) {
      const [a, b] = [...row.querySelectorAll(".name")].map((cell) => cell.textContent);
      const isShown = (cluster === null || row.dataset.cluster === cluster) &&
        (name === null || a === name || b === name) &&
        (wanted === "" || a.toLowerCase().includes(wanted) || b.toLowerCase().includes(wanted)) &&
        Number(row.cells[1].dataset.value) >= from && Number(row.cells[1].dataset.value) <= to;
      row.hidden = !isShown;
      if (isShown) n++;
    }
    const parts = [number(n) + " of " + number(rows.length) + " listed pairs"];
    if (cluster !== null) parts.push("cluster " + number(Number(cluster)));
    if (name !== null) parts.push("with " + name);
    status.textContent = parts.join(", ");
  }

  function showOnly(newCluster, newName) {
    cluster = newCluster;
    name = newName;
    filter.value = "";
    minScore.value = "";
    maxScore.value = "";
    apply();
    find("pairs").scrollIntoView();
  }

  filter.addEventListener("input", apply);
  minScore.addEventListener("input", apply);
  maxScore.addEventListener("input", apply);
  for (const kind of ["near", "copies"]) {
    const box = find("hide-" + kind);
    const part = document.querySelector('.kind[data-kind="' + kind + '"]');
    if (!part) box.closest("label").hidden = true;
    else box.addEventListener("change", () => (part.hidden = box.checked));
  }
  find("clear").addEventListener("click", () => showOnly(null, null));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-cluster]");
    if (link) {
      event.preventDefault();
      showOnly(link.dataset.cluster, null);
    }
    const circle = event.target.closest(".network circle");
    if (circle) showOnly(null, circle.querySelector("title").textContent);
  });
  if (tables.length > 0) apply();
  else document.querySelector(".tools").hidden = true;

  // Links to passages expand them.
  function open() {
    const target = /^#p\d+$/.test(location.hash) && find(location.hash.slice(1));
    if (!target) return;
    const details = target.closest("details");
    details.open = true;
    details.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#p']");
    if (link && link.hash === location.hash) open();
  });
  open();
})();
