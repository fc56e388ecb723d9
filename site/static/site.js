// What the theme leaves out for people who use a keyboard or a screen reader.
const name = (selector, label) => document.querySelector(selector)?.setAttribute("aria-label", label);
name(".sidebar-drawer", "Pages");
name(".toc-drawer", "On this page");

// A block that is wider than its place scrolls by key once it can have the focus.
const reach = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document.querySelectorAll("pre, .output > div, .output > div > div, .table-wrapper, .math-wrapper").forEach((each) => reach.observe(each));
