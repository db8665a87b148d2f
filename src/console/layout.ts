import { html } from 'ghtml'
import type { Account } from '../storage/port/index.ts'
import { assetAddress } from './assets/asset-files.ts'
import type { Action } from './parts/content.ts'
import { navigation, sections } from './parts/navigation.ts'

/** The person who looks at the page. The sign-out form uses the CSRF token; the page's own forms may use it too. */
export interface Viewer {
  account: Pick<Account, 'email' | 'role'>
  csrf: string
  /** The path that the next person to sign in goes on to. */
  afterSignOut?: string
}

interface Page {
  /** Text. */
  title: string
  /** Left out when nobody is signed in, or when that is unknown. */
  viewer?: Viewer | undefined
  /** The page's path: decides which of the `sections` in parts/navigation.ts is marked. */
  path?: string
  /** Narrow pages hold one form or question, and have no navigation. */
  width?: 'narrow' | 'wide'
  /** HTML: the page's only `<h1>` comes first, or after a back link. */
  body: string
}

/** The frame of every page. */
export const layout = ({
  title,
  viewer,
  path = '',
  width = 'wide',
  body,
}: Page): string => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Tillgate</title>
    <link rel="icon" href="!${assetAddress('/favicon.ico')}" type="image/svg+xml">
    <link rel="stylesheet" href="!${assetAddress('/assets/pico.css')}">
    <link rel="stylesheet" href="!${assetAddress('/assets/console.css')}">
    !${scripted.test(body) ? script : ''}
  </head>
  <body class="${width}">
    <a class="skip" href="#main">Skip to content</a>
    <header class="top">
      <div class="frame">
        !${brand(viewer)}
        !${viewer && width === 'wide' ? navigation(viewer.account.role, path) : ''}
        !${viewer ? who(viewer) : ''}
      </div>
    </header>
    <main id="main" tabindex="-1">
      !${body}
    </main>
    !${viewer ? signOutForm(viewer) : ''}
  </body>
</html>
`

/** Loaded only on pages that use it: a page with a password field runs no script. */
const scripted = /<[^>]* data-(copy|choices|local|once)/
const script = html`<script src="!${assetAddress('/assets/console.js')}" defer></script>`

const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect width="32" height="32" rx="8"/>
  <path d="M8.5 23.5v-8a7.5 7.5 0 0 1 15 0v8M16 23.5v-5.5M6.5 23.5h19"/>
</svg>`

const brand = (viewer: Viewer | undefined): string =>
  viewer
    ? html`<a class="brand" href="${sections[viewer.account.role][0].href}">!${mark}Tillgate</a>`
    : html`<a class="brand" href="/">!${mark}Tillgate</a>`

const who = ({ account }: Viewer): string => html`<div class="who">
  <a class="email" href="/profile" title="${account.email}"><span class="visually-hidden">Signed in as </span>${account.email}</a>
  <button type="submit" form="sign-out" class="quiet">Sign out</button>
</div>`

/** After the page's own forms, so that the first form is the one that the page is about. */
const signOutForm = ({
  csrf,
  afterSignOut,
}: Viewer): string => html`<form method="post" action="/logout" id="sign-out">
  <input type="hidden" name="_csrf" value="${csrf}">
  !${afterSignOut === undefined ? '' : html`<input type="hidden" name="next" value="${afterSignOut}">`}
</form>`

interface MessageOptions {
  viewer?: Viewer | undefined
  action?: Action
}

/** A page with a message: what happened, and what to do next. */
export const messagePage = (
  title: string,
  message: string,
  { viewer, action }: MessageOptions = {},
): string =>
  layout({
    title,
    viewer,
    width: 'narrow',
    body: html`<h1>${title}</h1>
      <p>${message}</p>
      !${action ? html`<p class="actions"><a class="button" href="${action.href}">${action.label}</a></p>` : ''}`,
  })
