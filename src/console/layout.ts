import { html } from 'ghtml'

/** The frame of every page. `body` is HTML already; the title is text. */
export const layout = (title: string, body: string): string => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Tillgate</title>
    <link rel="stylesheet" href="/assets/pico.css">
    <link rel="stylesheet" href="/assets/console.css">
  </head>
  <body>
    <main class="container">
      !${body}
    </main>
  </body>
</html>
`

/** A page that only says something: what happened, and what to do next. */
export const messagePage = (title: string, message: string): string =>
  layout(title, html`<h1>${title}</h1><p>${message}</p>`)
