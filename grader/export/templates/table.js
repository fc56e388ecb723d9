"use strict";
// Sorts and searches the table of scores. Without this script the table is plain.
(() => {
  const table = document.getElementById("table"), body = table.tBodies[0], rows = [...body.rows];
  const find = document.getElementById("find"), said = document.getElementById("said");
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
    const order = at === 0 ? (down ? "from Z to A" : "from A to Z") : (down ? "most points first" : "fewest points first");
    say(`sorted by ${label(heads[at])}, ${order}`);
  };

  const label = (head) => (head.dataset.label ??= head.firstChild.textContent.trim());

  const say = (news) => {
    const shown = rows.filter((row) => !row.hidden).length;
    said.textContent = `${shown} of ${rows.length} students${news ? "; " + news : ""}`;
  };

  heads.forEach((head, at) => {
    label(head);
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(at));
    head.append(button);
  });
  find.addEventListener("input", () => {
    const wanted = folded(find.value.trim());
    for (const row of rows) row.hidden = !folded(name(row)).includes(wanted);
    say("");
  });
  document.querySelector(".tools").hidden = false;
  say("");
})();
