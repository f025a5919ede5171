import { operationsStyle } from "./operations-style.ts";

/**
 * The style sheet of the docs page: the colours and shapes of Troupe's page, light and dark. The sheet of Swagger UI is a
 * layer below, so that its own colours are never stronger, however exact their selectors are.
 */
export const docsStyle = `@import url("swagger-ui.css") layer(library);

:root {
  color-scheme: light dark;
  --paper: light-dark(#faf9f7, #17161b);
  --surface: light-dark(#ffffff, #201f26);
  --sunken: light-dark(#f2f0ec, #1b1a20);
  --line: light-dark(#e4e0da, #34323d);
  --line-strong: light-dark(#8d8791, #77737f);
  --text: light-dark(#1e1b24, #ecebf1);
  --muted: light-dark(#625d6b, #a5a1b0);
  --accent: light-dark(#5b41d9, #b0a2ff);
  --on-accent: light-dark(#ffffff, #17132b);
  --good: light-dark(#17724a, #6fd3a2);
  --bad: light-dark(#b02a20, #ff9d92);
  --warm: light-dark(#7a4b00, #f3c56b);
  --tone: var(--muted);
  --font: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}

body {
  margin: 0;
  background: var(--paper);
  color: var(--text);
  font: 0.9375rem/1.55 var(--font);
}

.swagger-ui,
.swagger-ui :not(svg, svg *) {
  background-color: transparent;
  border-color: var(--line);
  box-shadow: none;
  color: inherit;
  font-family: inherit;
  text-shadow: none;
}

.swagger-ui svg {
  fill: currentColor !important;
}

.swagger-ui :focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 2px;
}

.swagger-ui a {
  color: var(--accent);
  text-decoration: underline;
}

.swagger-ui .wrapper {
  max-width: 62rem;
  padding-inline: 1rem;
}

.swagger-ui .info {
  margin-block: 2rem 1rem;
}

.swagger-ui .info hgroup.main {
  margin: 0 0 0.5rem;
}

.swagger-ui .info .title {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem;
  margin: 0;
  font-size: 1.5rem;
  font-weight: 650;
  letter-spacing: -0.02em;
}

.swagger-ui .info .title small {
  position: static;
  margin: 0;
  padding: 0.1rem 0.6rem;
  background: var(--sunken);
  border-radius: 1rem;
}

.swagger-ui .info .title small pre {
  padding: 0;
  background: none;
  border: 0;
  color: var(--muted);
  font: 600 0.75rem/1.4 var(--font);
}

.swagger-ui .info :is(p, li, table) {
  font-size: 0.9375rem;
}

.swagger-ui .info a {
  font-size: 0.8125rem;
}

.swagger-ui .scheme-container {
  margin: 0;
  padding: 0 0 0.5rem;
}

.swagger-ui .scheme-container .schemes {
  align-items: end;
}

${operationsStyle}

.swagger-ui .btn {
  background: var(--surface);
  border: 1px solid var(--line-strong);
  border-radius: 0.75rem;
  color: var(--text);
  font-weight: 550;
}

.swagger-ui .btn.execute {
  background: var(--accent);
  border-color: transparent;
  color: var(--on-accent);
}

.swagger-ui .btn.cancel {
  border-color: var(--bad);
  color: var(--bad);
}

.swagger-ui .copy-to-clipboard {
  background: none;
}

.swagger-ui :is(input:not([type="checkbox"]), textarea, select) {
  max-width: 100%;
  padding: 0.4rem 0.6rem;
  background: var(--paper);
  border: 1px solid var(--line-strong);
  border-radius: 0.6rem;
  color: var(--text);
}

.swagger-ui select {
  appearance: auto;
}

.swagger-ui :is(pre, textarea, code) {
  font-family: var(--mono);
}

.swagger-ui :is(.microlight, .highlight-code pre, .curl, .body-param__example, .request-url pre, .model-box, .model-example .example) {
  background: var(--sunken);
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  color: var(--text);
  font-weight: 400;
}

.swagger-ui :is(.microlight, .highlight-code pre, .curl) * {
  color: inherit;
}

.swagger-ui section.models {
  border-color: var(--line);
  border-radius: 0.75rem;
}

.swagger-ui section.models .model-container {
  background: var(--sunken);
}

.swagger-ui .dialog-ux .backdrop-ux {
  background: #0009;
}

.swagger-ui .dialog-ux .modal-ux {
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 1rem;
}

.swagger-ui .errors-wrapper {
  border-color: var(--bad);
}

@media (max-width: 40rem) {
  .swagger-ui .opblock .opblock-summary-method {
    min-width: 3.6rem;
  }

  .swagger-ui .opblock-tag {
    flex-wrap: wrap;
  }

  /* The cells of a line are below each other. */
  .swagger-ui :is(.parameters, .responses-table) :is(tbody, tr, td) {
    display: block;
    width: auto;
    max-width: none;
    padding-block: 0.2rem;
  }

  .swagger-ui :is(.parameters, .responses-table) thead {
    position: absolute;
    clip-path: inset(50%);
  }

  .swagger-ui .opblock-body {
    overflow-x: auto;
  }

  .swagger-ui :is(.execute-wrapper, .btn-group, .opblock-section-header) {
    flex-wrap: wrap;
    padding-inline: 0.75rem;
  }
}
`;
