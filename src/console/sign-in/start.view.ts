import { html } from 'ghtml'
import { layout, type Page } from '../layout.ts'
import { card } from '../parts/card.ts'
import { pageHeader } from '../parts/page-header.ts'

/** The page at the root: what this server is, and where each kind of visitor goes on. */
export const startPage = ({ sign_up }: { /** Developers may create an account. */ sign_up: boolean }): Page =>
  layout({
    title: 'Start',
    body: html`!${pageHeader({
      title: 'Connect apps to your point of sale',
      lead: {
        text: 'Apps for accounting, delivery or loyalty read orders and items from here. A merchant decides which app may read which store, and can end it at any time.',
      },
      actions: html`<a class="button" href="/login">Sign in</a>`,
    })}
    <div class="grid-3">
      !${card({
        title: 'Merchants',
        body: html`<p>See your orders, items and sales, and which apps read them. To connect an app, start in the app.</p>
          <p><a href="/login">Sign in to your stores</a></p>`,
      })}
      !${card({
        title: 'Developers',
        body: html`<p>Register an app, get a token, and read stores, orders and items through an HTTP API.</p>
          <ul>
            <li><a href="/docs/guides">Guides</a></li>
            <li><a href="/docs/">API reference</a></li>
            <li><a href="/openapi.json">OpenAPI description</a></li>
            <li>!${
              sign_up
                ? html`<a href="/signup">Create a developer account</a>`
                : html`<a href="/login">Sign in to your apps</a>; ask the platform’s operator for an account`
            }</li>
          </ul>`,
      })}
      !${card({
        title: 'Operators',
        body: html`<p>Watch requests and ingest, manage accounts, apps and stores, and read the audit log.</p>
          <p><a href="/login">Sign in to the operator’s pages</a></p>`,
      })}
    </div>`,
  })
