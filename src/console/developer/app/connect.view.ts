import { html } from 'ghtml'
import { splitScope } from '../../../contract/scopes.ts'
import { ownScopes } from '../../../domain/apps/readable.ts'
import { codeLifetime } from '../../../oauth/lifetimes.ts'
import type { App } from '../../../storage/port/index.ts'
import type { Page, Viewer } from '../../layout.ts'
import { card } from '../../parts/card.ts'
import { copyable } from '../../parts/copyable.ts'
import { emptyState } from '../../parts/empty-state.ts'
import { facts } from '../../parts/facts.ts'
import { filterForm } from '../../parts/form/filter-form.ts'
import { notice } from '../../parts/notice.ts'
import { table } from '../../parts/table.ts'
import { appFrame, appsPath } from './frame.view.ts'

/** The values of one authorization request. The server stores none of them: each view of the page has its own. */
interface Attempt {
  state: string
  code_verifier: string
  code_challenge: string
}

interface ConnectView {
  viewer: Viewer
  app: App
  issuer: string
  /** Null when the app has none. */
  redirect_uri: string | null
  attempt: Attempt
}

/** Spec 5.1: the only scope of the authorization_code grant. */
const scope = 'integration.store'

export const connectPage = (view: ConnectView): Page => {
  const { viewer, app, redirect_uri } = view
  const isRegistered = splitScope(app.scope).includes(scope)
  return appFrame({
    viewer,
    app,
    tab: '/connect',
    body:
      redirect_uri === null || !isRegistered
        ? notPossible(app, redirect_uri)
        : html`!${disabledNote(app)}
          !${card({ title: 'Try it now', body: tryNow({ ...view, redirect_uri }) })}
          !${card({ title: 'In your app', body: inYourApp({ ...view, redirect_uri }) })}
          !${card({ title: 'What each parameter is for', body: parameterTable(app) })}
          !${card({ title: 'A fixed link', body: fixedLink({ ...view, redirect_uri }) })}`,
  })
}

type PossibleView = ConnectView & { redirect_uri: string }

const notPossible = (app: App, redirect_uri: string | null): string =>
  emptyState({
    title: 'Merchants cannot connect this app yet',
    content: {
      text:
        redirect_uri === null
          ? 'It has no redirect URI: the address in your app that merchants return to.'
          : `It does not have the scope ${scope}, which every link needs.`,
    },
    action: { href: `${appsPath}/${app.id}/edit`, label: 'Edit the app' },
  })

const disabledNote = ({ disabled_at }: App): string =>
  disabled_at === null
    ? ''
    : notice({ tone: 'warn', content: { text: 'The app is disabled, so the links do not work now.' } })

/** The address of an authorization request (spec 5.2), with these parameters besides the required ones. */
const linkTo = ({ app, issuer, redirect_uri }: PossibleView, more: Record<string, string> = {}): string => {
  const query = { response_type: 'code', client_id: app.id, redirect_uri, scope, ...more }
  return `${issuer}/auth/v2/authorize?${new URLSearchParams(query)}`
}

function tryNow(view: PossibleView): string {
  const { app, redirect_uri, attempt } = view
  const { state, code_verifier, code_challenge } = attempt
  const link = linkTo(view, { state, code_challenge, code_challenge_method: 'S256' })
  return html`!${uriChoice(view)}
    <ol>
      <li><p>Open this link in a browser where you are signed in as a merchant, or where nobody is signed in. Press
        Allow.</p>
        !${copyable({ value: link, id: 'link', what: 'link', block: true })}</li>
      <li><p>The browser goes to the redirect URI with <code>code</code>, <code>state</code> and <code>iss</code> in its
        query. No server has to run there: copy the code from the address bar. <code>state</code> must equal:</p>
        !${facts([{ term: 'state', html: copyable({ value: state, id: 'state', what: 'state' }) }])}</li>
      <li><p>Exchange the code for tokens within ${String(codeLifetime / 60)} minutes. Replace CODE${app.public ? '' : ' and CLIENT_SECRET'}.</p>
        !${copyable({
          value: exchange({ ...view, redirect_uri, code_verifier }),
          id: 'exchange',
          what: 'command',
          block: true,
        })}</li>
    </ol>
    <p class="muted">This link, its state and its verifier are for one try. Load the page again for another one.</p>`
}

/** With one redirect URI there is nothing to choose. */
const uriChoice = ({ app, redirect_uri }: PossibleView): string =>
  app.redirect_uris.length < 2
    ? ''
    : filterForm({
        action: `${appsPath}/${app.id}/connect`,
        label: 'Choose the redirect URI',
        selects: [
          {
            name: 'redirect_uri',
            label: 'Redirect URI',
            value: redirect_uri,
            options: app.redirect_uris.map(uri => ({ value: uri, label: uri })),
          },
        ],
      })

function exchange({ app, issuer, redirect_uri, code_verifier }: PossibleView & { code_verifier: string }) {
  const fields = [
    'grant_type=authorization_code',
    `client_id=${app.id}`,
    ...(app.public ? [] : ['client_secret=CLIENT_SECRET']),
    `redirect_uri=${redirect_uri}`,
    `code_verifier=${code_verifier}`,
    'code=CODE',
  ]
  return [`curl ${issuer}/auth/v2/token`, ...fields.map(field => `  --data-urlencode ${quoted(field)}`)].join(
    ' \\\n',
  )
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const inYourApp = (view: PossibleView): string =>
  html`<p>Put a link to an address of your own in your pages and mails, such as <code>/connect</code>. At that
      address your app creates a new link for each merchant and redirects the browser to it.</p>
    <p>With <a href="/docs/guides/client">tillgate-client</a>, which makes state and PKCE and checks what comes back:</p>
    !${copyable({ value: sample(view), id: 'sample', what: 'code', block: true })}
    <p>The link asks for <code>${scope}</code>, the only scope that it may name. On the same page the merchant allows
      what the app reads with its own token: ${
        view.app.public ? 'nothing, because a public app has none' : ownScopes(view.app).join(', ')
      }.</p>`

const sample = ({
  app,
  issuer,
  redirect_uri,
}: PossibleView): string => `import { createClient } from "tillgate-client"

const client = createClient({
  baseUrl: "${issuer}",
  clientId: "${app.id}",${app.public ? '' : '\n  clientSecret: process.env.TILLGATE_CLIENT_SECRET,'}
})

// GET /connect: keep \`pending\` in the merchant's session, then redirect to pending.url
const pending = await client.authorizationUrl({ redirectUri: ${JSON.stringify(redirect_uri)} })

// GET ${new URL(redirect_uri).pathname}: checks state and iss, exchanges the code, keeps the tokens
await client.completeAuthorization(request.url, pending)`

interface Parameter {
  name: string
  what: string
  check: string
}

const parameterTable = (app: App): string =>
  table<Parameter>({
    caption: 'Parameters of the link',
    rows: [
      { name: 'response_type', what: 'Always “code”.', check: '–' },
      { name: 'client_id', what: 'Which app asks. It is public.', check: '–' },
      {
        name: 'redirect_uri',
        what: 'Where the merchant returns: one of those that you registered. You may add a query.',
        check: 'Send the same one when you exchange the code.',
      },
      { name: 'scope', what: `Always “${scope}”.`, check: '–' },
      {
        name: 'state',
        what: 'A random text that your app makes for this merchant and keeps in the session.',
        check:
          'It must come back unchanged, once, in the same session. Otherwise someone else began the connection: refuse it.',
      },
      {
        name: 'code_challenge',
        what: `The SHA-256 hash of a random code_verifier, base64url, with code_challenge_method=S256 (PKCE). ${
          app.public ? 'Required, because your app is public.' : 'Optional for an app with a secret; use it.'
        }`,
        check: 'Send the code_verifier with the code. Nobody who sees only the code can use it.',
      },
      {
        name: 'iss',
        what: 'Not sent: it comes back with the code.',
        check: 'It must be the address of this server. Otherwise another server answered.',
      },
    ],
    columns: [
      { title: 'Parameter', html: ({ name }) => html`<code>${name}</code>` },
      { title: 'What it is for', text: ({ what }) => what },
      { title: 'What your app checks or sends', text: ({ check }) => check },
    ],
  })

const fixedLink = (view: PossibleView): string =>
  view.app.public
    ? html`<p>A public app has none: each connection needs a code_verifier of its own, which only your app knows. Give
        merchants the address of a page of your app that begins the connection.</p>`
    : html`<p>This link always works and has no state, so use it only for a first try:</p>
      !${copyable({ value: linkTo(view), id: 'fixed-link', what: 'fixed link', block: true })}
      <p>With it your app cannot know who began the connection. Somebody could connect their own stores, stop before
        the last step and send the address with their code to one of your users. Your app would then show that user the
        data of another merchant, or add it to the user’s account. A state that your app has made for this browser
        prevents that.</p>`
