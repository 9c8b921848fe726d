"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const passages = report.passages;
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const svg = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const number = (value) => value.toLocaleString("en");
  const sides = ["a", "b"].map((letter) => ({
    letter,
    pane: find("pane-" + letter),
    map: find("map-" + letter),
    marks: passages.map((passage) => find(letter + passage.number)),
    tops: [],
    ends: [],
  }));
  const links = find("links");
  const jump = find("jump");
  // Passages that are in the same order in both texts: anchors for scrolling together.
  const anchors = passages.map((_, index) => index).filter((index) => !passages[index].moved);
  let current = -1;
  // The pane that the user scrolls; the other one follows.
  let leader = sides[0];
  let isScheduled = false;

  const classes = (index) => "c" + (index % 6) + " l" + (Math.floor(index / 6) % 4);

  function describe(index) {
    const passage = passages[index];
    const words = (side) => number(side.first_word + 1) + "–" + number(side.first_word + side.words);
    const changed = Math.max(passage.a.words, passage.b.words) - passage.matched_words;
    return number(passage.matched_words) + (passage.matched_words === 1 ? " word" : " words") +
      (changed > 0 ? " + " + number(changed) + " changed" : "") +
      " · A " + words(passage.a) + " · B " + words(passage.b) + (passage.moved ? " · moved" : "");
  }

  function measure() {
    for (const side of sides) {
      const origin = side.pane.getBoundingClientRect().top - side.pane.scrollTop;
      const boxes = side.marks.map((mark) => mark.getBoundingClientRect());
      side.tops = boxes.map((box) => box.top - origin);
      side.ends = boxes.map((box) => box.bottom - origin);
      drawMap(side);
    }
    draw();
  }

  function drawMap(side) {
    const height = Math.max(side.pane.scrollHeight, 1);
    side.map.setAttribute("viewBox", "0 0 10 " + height);
    side.map.setAttribute("preserveAspectRatio", "none");
    const minHeight = height / 250;
    const rectangles = passages.map((_, index) => svg("rect", {
      x: 0, width: 10, y: side.tops[index], height: Math.max(side.ends[index] - side.tops[index], minHeight),
      class: classes(index),
    }));
    side.sight = svg("rect", { x: 0, width: 10, class: "sight" });
    side.map.replaceChildren(...rectangles, side.sight);
  }

  function draw() {
    isScheduled = false;
    for (const side of sides) {
      if (!side.sight) return;
      side.sight.setAttribute("y", side.pane.scrollTop);
      side.sight.setAttribute("height", side.pane.clientHeight);
    }
    const width = links.clientWidth;
    if (width === 0) return;
    const height = links.clientHeight;
    const frame = links.getBoundingClientRect().top;
    const offsets = sides.map((side) => side.pane.getBoundingClientRect().top - frame - side.pane.scrollTop);
    const groups = [];
    for (let index = 0; index < passages.length && groups.length < 300; index++) {
      const y = sides.map((side, at) => [side.tops[index] + offsets[at], side.ends[index] + offsets[at]]);
      const isSeen = y.some(([top, end]) => end > 0 && top < height);
      if (!isSeen) continue;
      // Ends far outside are drawn at the edge, so that the line still points there.
      const edge = (value) => Math.min(Math.max(value, -40), height + 40).toFixed(1);
      const [[a, b], [c, d]] = y.map((ends) => ends.map(edge));
      const middle = width / 2;
      const group = svg("g", { class: classes(index) + (index === current ? " now" : ""), "data-index": index });
      const path = `M0,${a} C${middle},${a} ${middle},${c} ${width},${c} L${width},${d} C${middle},${d} ${middle},${b} 0,${b} Z`;
      group.append(svg("path", { d: path }));
      y.forEach(([top, end], at) => {
        if (end <= 34 || top >= height) return;
        const label = svg("text", { x: at === 0 ? 12 : width - 12, y: Math.min(Math.max(top, 34) + 12, height - 4) });
        label.textContent = passages[index].number;
        group.append(label);
      });
      if (index === current) groups.push(group); else groups.unshift(group);
    }
    links.replaceChildren(...groups);
  }

  function schedule() {
    if (!isScheduled) {
      isScheduled = true;
      requestAnimationFrame(draw);
    }
  }

  function follow() {
    if (!find("together").checked || anchors.length === 0) return;
    const other = sides[1 - sides.indexOf(leader)];
    const eye = leader.pane.clientHeight / 3;
    const position = leader.pane.scrollTop + eye;
    // Between neighbouring anchors both texts scroll in proportion.
    const points = [[0, 0]];
    for (const index of anchors) {
      points.push([leader.tops[index], other.tops[index]], [leader.ends[index], other.ends[index]]);
    }
    points.push([leader.pane.scrollHeight, other.pane.scrollHeight]);
    let after = points.findIndex(([here]) => here > position);
    if (after < 0) after = points.length - 1;
    const [from, to] = [points[Math.max(after - 1, 0)], points[after]];
    const share = to[0] > from[0] ? (position - from[0]) / (to[0] - from[0]) : 0;
    other.pane.scrollTop = from[1] + share * (to[1] - from[1]) - eye;
  }

  function go(index, scrolls = true) {
    if (passages.length === 0) return;
    if (current >= 0) sides.forEach((side) => side.marks[current].classList.remove("now"));
    current = (index + passages.length) % passages.length;
    leader = null;
    for (const side of sides) {
      side.marks[current].classList.add("now");
      if (scrolls) side.pane.scrollTop = side.tops[current] - side.pane.clientHeight / 4;
    }
    jump.value = String(current);
    find("status").textContent = "Passage " + number(current + 1) + " of " + number(passages.length) + ": " + describe(current);
    history.replaceState(null, "", "#p" + passages[current].number);
    schedule();
  }

  function toggleMode() {
    const isDifferent = document.body.classList.toggle("different");
    find("mode").textContent = isDifferent ? "Show matches" : "Show differences";
    schedule();
  }

  function toggleTheme() {
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  }

  function next() { go(current + 1); }
  function previous() { go(current < 0 ? passages.length - 1 : current - 1); }
  function toggleTogether() { find("together").checked = !find("together").checked; }

  passages.forEach((passage, index) => {
    const option = document.createElement("option");
    option.value = String(index);
    option.textContent = passage.number + " · " + number(passage.matched_words) + (passage.matched_words === 1 ? " word" : " words") + (passage.moved ? " · moved" : "");
    jump.append(option);
  });
  if (passages.length === 0) {
    [find("previous"), find("next"), jump].forEach((element) => { element.disabled = true; });
    find("status").textContent = "No matching text found";
  } else {
    find("status").textContent = "Press J for the next passage, K for the previous one";
    jump.selectedIndex = -1;
  }

  find("next").addEventListener("click", next);
  find("previous").addEventListener("click", previous);
  find("mode").addEventListener("click", toggleMode);
  find("theme").addEventListener("click", toggleTheme);
  jump.addEventListener("change", () => go(Number(jump.value)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === jump) return;
    const actions = { j: next, n: next, k: previous, p: previous, d: toggleMode, s: toggleTogether, t: toggleTheme };
    const action = actions[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      action();
    }
  });
  for (const side of sides) {
    const lead = () => { leader = side; };
    ["wheel", "pointerdown", "touchstart", "keydown", "focus"].forEach((name) => side.pane.addEventListener(name, lead, { passive: true }));
    side.pane.addEventListener("scroll", () => {
      if (leader === side) follow();
      schedule();
    }, { passive: true });
    side.pane.addEventListener("click", (event) => {
      const mark = event.target.closest("mark");
      if (!mark || !getSelection().isCollapsed) return;
      const index = Number(mark.dataset.n) - 1;
      const other = sides[1 - sides.indexOf(side)];
      const height = side.tops[index] - side.pane.scrollTop;
      go(index, false);
      other.pane.scrollTop = other.tops[index] - height;
    });
    side.map.addEventListener("pointerdown", (event) => {
      const box = side.map.getBoundingClientRect();
      leader = side;
      side.pane.scrollTop = (event.clientY - box.top) / box.height * side.pane.scrollHeight - side.pane.clientHeight / 2;
    });
  }
  links.addEventListener("click", (event) => {
    const group = event.target.closest("g");
    if (group) go(Number(group.dataset.index));
  });
  const rewritten = find("rewritten");
  if (rewritten) {
    const surest = find("surest");
    const articles = Array.from(rewritten.querySelectorAll("article"));
    const filter = () => {
      find("surest-value").textContent = surest.value + " %";
      for (const article of articles) article.hidden = Number(article.dataset.confidence) < Number(surest.value);
    };
    if (surest) {
      surest.addEventListener("input", filter);
      filter();
    }
    // Pointing at a word shows the word that it matches.
    rewritten.addEventListener("pointerover", (event) => {
      for (const word of rewritten.querySelectorAll(".linked")) word.classList.remove("linked");
      const word = event.target.closest("i[data-w]");
      if (!word) return;
      const same = word.closest("article").querySelectorAll('i[data-w="' + word.dataset.w + '"]');
      for (const one of same) one.classList.add("linked");
    });
  }
  new ResizeObserver(measure).observe(document.querySelector("main"));
  window.addEventListener("beforeprint", () => document.querySelector("details").setAttribute("open", ""));
  measure();
  const requested = /^#p(\d+)$/.exec(location.hash);
  if (requested && passages[Number(requested[1]) - 1]) go(Number(requested[1]) - 1);
})();
