import { html } from 'ghtml'
import { nameOf } from '../domain/brand/brand.ts'
import type { Account, Brand } from '../storage/port/index.ts'
import { assetAddress } from './assets/asset-files.ts'
import { stylesheetAddress } from './brand/stylesheet.view.ts'
import type { Action } from './parts/content.ts'
import { platformLogo, platformLogoAddress } from './parts/logo.ts'
import { navigation, sections } from './parts/navigation.ts'

/** The person who looks at the page. The sign-out form uses the CSRF token; the page's own forms may use it too. */
export interface Viewer {
  account: Pick<Account, 'email' | 'role'>
  csrf: string
  /** The path that the next person to sign in goes on to. */
  afterSignOut?: string
}

/** A page without the platform's brand, which `sendHtml` gives it. */
export type Page = (brand: Brand) => string

interface PageParts {
  /** Text. */
  title: string
  /** Left out when nobody is signed in, or when that is unknown. */
  viewer?: Viewer | undefined
  /** The page's path: decides which of the `sections` in parts/navigation.ts is marked. */
  path?: string
  /** Narrow pages hold one form or question, and have no navigation. */
  width?: 'narrow' | 'wide'
  /** HTML: the page's only `<h1>` comes first, or after a back link or a logo. */
  body: string | Page
}

/** The frame of every page. */
export const layout =
  ({ title, viewer, path = '', width = 'wide', body: given }: PageParts): Page =>
  brand => {
    const body = typeof given === 'string' ? given : given(brand)
    return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · ${nameOf(brand)}</title>
    !${icon(brand)}
    <link rel="stylesheet" href="!${assetAddress('/assets/pico.css')}">
    <link rel="stylesheet" href="!${assetAddress('/assets/console.css')}">
    !${brand.accent === null ? '' : html`<link rel="stylesheet" href="!${stylesheetAddress(brand.accent)}">`}
    !${scripted.test(body) ? script : ''}
  </head>
  <body class="${width}">
    <a class="skip" href="#main">Skip to content</a>
    <header class="top">
      <div class="frame">
        !${home(viewer, brand)}
        !${viewer && width === 'wide' ? navigation(viewer.account.role, path) : ''}
        !${viewer ? who(viewer) : ''}
      </div>
    </header>
    <main id="main" tabindex="-1">
      !${body}
    </main>
    !${brand.support === null ? '' : help(brand.support)}
    !${viewer ? signOutForm(viewer) : ''}
  </body>
</html>
`
  }

/** Loaded only on pages that use it: a page with a password field runs no script. */
const scripted = /<[^>]* data-(copy|choices|local|once)/
const script = html`<script src="!${assetAddress('/assets/console.js')}" defer></script>`

const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect width="32" height="32" rx="8"/>
  <path d="M8.5 23.5v-8a7.5 7.5 0 0 1 15 0v8M16 23.5v-5.5M6.5 23.5h19"/>
</svg>`

const icon = (brand: Brand): string =>
  brand.logo === null
    ? html`<link rel="icon" href="!${assetAddress('/favicon.ico')}" type="image/svg+xml">`
    : html`<link rel="icon" href="!${platformLogoAddress(brand.logo)}">`

const home = (viewer: Viewer | undefined, brand: Brand): string =>
  html`<a class="brand" href="${viewer ? sections[viewer.account.role][0].href : '/'}">!${platformLogo(brand) ?? mark}<span>${nameOf(brand)}</span></a>`

/** An email address, or the address of a site. */
const help = (support: string): string => {
  const site = URL.parse(support)
  const href = site ? support : `mailto:${encodeURIComponent(support).replace('%40', '@')}`
  return html`<footer class="help"><p>Need help? <a href="${href}">${site?.host ?? support}</a></p></footer>`
}

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
export const messagePage = (title: string, message: string, { viewer, action }: MessageOptions = {}): Page =>
  layout({
    title,
    viewer,
    width: 'narrow',
    body: html`<h1>${title}</h1>
      <p>${message}</p>
      !${action ? html`<p class="actions"><a class="button" href="${action.href}">${action.label}</a></p>` : ''}`,
  })
