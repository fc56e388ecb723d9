"use strict";
// Sorts and searches a table of points. Without this script the table is plain.
(() => {
  const table = document.getElementById("table"), body = table.tBodies[0], rows = [...body.rows];
  const find = document.getElementById("find"), said = document.getElementById("said");
  const section = document.getElementById("section"); // only where a roster has sections
  const heads = [...table.tHead.rows[0].cells];
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const name = (row) => row.cells[0].textContent;
  const points = (row, at) => {
    const value = row.cells[at].dataset.points;
    return value === "" ? -Infinity : Number(value);
  };
  const difference = (a, b) => (a > b) - (a < b);

  const sort = (at) => {
    const before = heads[at].getAttribute("aria-sort");
    const down = at === 0 ? before === "ascending" : before !== "descending";
    const compare = at === 0
      ? (a, b) => names.compare(name(a), name(b))
      : (a, b) => difference(points(a, at), points(b, at));
    rows.sort((a, b) => (down ? compare(b, a) : compare(a, b)));
    body.append(...rows);
    heads.forEach((head, i) => {
      if (i === at) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const order = at === 0 ? (down ? "zToA" : "aToZ") : (down ? "most" : "fewest");
    say(said.dataset[order].replace("{column}", label(heads[at])));
  };

  const label = (head) => (head.dataset.label ??= head.firstChild.textContent.trim());

  const say = (news) => {
    const shown = rows.filter((row) => !row.hidden).length;
    const count = said.dataset.shown.replace("{shown}", shown).replace("{all}", rows.length);
    said.textContent = news ? `${count}; ${news}` : count;
  };

  heads.forEach((head, at) => {
    label(head);
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(at));
    head.append(button);
  });
  const filter = () => {
    const wanted = folded(find.value.trim()), of = section ? section.value : "";
    for (const row of rows) {
      const inside = !of || row.dataset.section.split(", ").includes(of);
      row.hidden = !(inside && folded(name(row)).includes(wanted));
    }
    say("");
  };
  find.addEventListener("input", filter);
  if (section) section.addEventListener("change", filter);
  document.querySelector(".tools").hidden = false;
  say("");
})();
