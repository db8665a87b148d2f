import type { Order, Store } from 'tillgate-client'
import { type Day, moveDate, nameOf, timeOf, totalOf } from './day.ts'
import { type Html, html } from './html.ts'

/** The pages. They work without script; live.js only reloads the day when something has changed. */

const layout = (title: string, body: Html, header: Html | null = null): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Harbour Ledger</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/ledger.css">
</head>
<body>
<header class="top">
  <a class="brand" href="/"><img src="/icon.svg" alt="" width="32" height="32">Harbour Ledger</a>
  ${header}
</header>
<main>${body}</main>
<footer>Harbour Ledger is an example app. It reads orders through Tillgate and stores a copy of them.</footer>
</body>
</html>`

const connectLink = html`<a class="button" href="/connect">Connect your stores</a>`

export const startPage = (): Html =>
  layout(
    'Welcome',
    html`<section class="hero">
      <h1>Your day’s takings, as they happen</h1>
      <p>Connect your point of sale, and see every order and what sells, without asking a till.</p>
      ${connectLink}
      <ul class="points">
        <li><strong>Live.</strong> A sale is on this page a second after the till has rung it up.</li>
        <li><strong>Yours.</strong> You pick the stores, and can take the access back at any time.</li>
        <li><strong>Read only.</strong> The ledger changes nothing in your shop.</li>
      </ul>
    </section>`,
  )

export const messagePage = (title: string, text: string): Html =>
  layout(title, html`<section class="hero"><h1>${title}</h1><p>${text}</p>${connectLink}</section>`)

export const noStoresPage = (): Html =>
  messagePage('There is no such store here', 'It is not one of the stores that you connected.')

interface DayView {
  store: Store
  stores: readonly Store[]
  day: Day
  /** The store's date now. */
  today: string
  /** Whether the copy of the store is complete. */
  isRead: boolean
}

export const dayPage = (view: DayView): Html =>
  layout(
    view.store.name,
    html`${view.stores.length > 1 ? storeLinks(view) : null}
    <div class="heading">
      <div>
        <h1>${view.store.name}</h1>
        <p class="quiet">${longDate(view.day.date)} · ${cityOf(view.store.timezone)} time</p>
      </div>
      ${dayLinks(view)}
    </div>
    <p id="live" class="live" role="status" data-store="${String(view.store.id)}">Reload the page to see new orders.</p>
    <div id="day">${figures(view)}</div>
    <script src="/live.js" type="module"></script>`,
    html`<form method="post" action="/disconnect"><button class="plain">Disconnect</button></form>`,
  )

export const storeAddress = ({ id }: Store, date?: string): string =>
  `/?${new URLSearchParams({ store: String(id), ...(date !== undefined && { day: date }) })}`

const storeLinks = ({ store, stores }: DayView): Html => html`<nav class="stores" aria-label="Stores">
  ${stores.map(each =>
    each.id === store.id
      ? html`<a aria-current="page" href="${storeAddress(each)}">${each.name}</a>`
      : html`<a href="${storeAddress(each)}">${each.name}</a>`,
  )}
</nav>`

const dayLinks = ({ store, day, today }: DayView): Html => html`<nav class="days" aria-label="Days">
  <a href="${storeAddress(store, moveDate(day.date, -1))}">Day before</a>
  ${day.date < today && html`<a href="${storeAddress(store, moveDate(day.date, 1))}">Day after</a>`}
  ${day.date < today && html`<a href="${storeAddress(store)}">Today</a>`}
</nav>`

/** Shown at most; the figures are of all. */
const mostOrders = 100
const mostItems = 12

function figures({ store, day, isRead }: DayView): Html {
  if (day.orders.length === 0) {
    return html`<p class="empty">${isRead ? 'No orders on this day yet.' : 'Reading the store’s orders …'}</p>`
  }
  const average = day.count === 0 ? 0n : day.sales / BigInt(day.count)
  const refunds = day.orders.length - day.count
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: store.timezone, timeStyle: 'short' })
  return html`<dl class="tiles">
    ${tile('Sales', money(day.sales))}
    ${tile('Orders', String(day.count))}
    ${tile('Average order', money(average))}
    ${tile('Refunded', String(refunds))}
  </dl>
  <div class="columns">
    <section aria-labelledby="orders">
      <h2 id="orders">Orders</h2>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="orders">
      <table>
        <thead><tr><th>Time</th><th>Order</th><th class="wide">What</th><th class="number">Paid</th></tr></thead>
        <tbody>${day.orders.slice(0, mostOrders).map(order => orderRow(order, clock))}</tbody>
      </table>
      </div>
      ${day.orders.length > mostOrders && html`<p class="quiet">The newest ${mostOrders} of ${day.orders.length} orders.</p>`}
    </section>
    <div>
      <section aria-labelledby="hours"><h2 id="hours">Sales by hour</h2>${hourChart(day)}</section>
      <section aria-labelledby="items">
        <h2 id="items">Sales by item</h2>
        <table class="items">
          <thead><tr><th>Item</th><th class="number">Sold</th><th class="number">Net</th></tr></thead>
          <tbody>${day.items.slice(0, mostItems).map(({ name, count, amount }) => {
            const share = Math.max(1, Math.round((amount / Math.max(1, day.items[0]?.amount ?? 1)) * 100))
            return html`<tr>
              <th scope="row">${name}
                <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width="${share}" height="4" rx="1"/></svg>
              </th>
              <td class="number">${quantity(count)}</td>
              <td class="number">${money(BigInt(Math.round(amount)))}</td>
            </tr>`
          })}</tbody>
        </table>
      </section>
    </div>
  </div>`
}

const tile = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`

const states: Record<number, Html> = {
  3: html` <span class="badge">refunded</span>`,
  11: html` <span class="badge">refunded in part</span>`,
}

/** Type of a line such as "no ice". */
const modifier = 22

function orderRow(order: Order, clock: Intl.DateTimeFormat): Html {
  const names = order.carts
    .filter(({ type }) => type !== modifier)
    .map(line => (line.count > 1 ? `${quantity(line.count)} × ${nameOf(line)}` : nameOf(line)))
  const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '')
  const time = timeOf(order.created_at)
  return html`<tr data-order="${order.id}">
    <td><time datetime="${time.toISOString()}">${clock.format(time)}</time></td>
    <th scope="row">${order.order_number ?? order.id}</th>
    <td class="wide">${shown} <span class="quiet how">${order.fulfillment ?? 'in store'}</span>${states[order.status] ?? null}</td>
    <td class="number">${money(totalOf(order))}</td>
  </tr>`
}

const hourWidth = 10
const chartHeight = 60

function hourChart({ hours }: Day): Html {
  const most = hours.reduce((a, b) => (a > b ? a : b), 1n)
  const bars = hours.map((amount, hour) => {
    const height = Number((amount * BigInt(chartHeight * 100)) / most) / 100
    return html`<rect x="${hour * hourWidth + 1}" y="${chartHeight - height}" width="${hourWidth - 2}" height="${height}" rx="1.5"/>`
  })
  const busiest = hours.indexOf(most)
  const summary = busiest < 0 ? 'No sales' : `The busiest hour began at ${busiest}:00, with ${money(most)}`
  return html`<figure class="hours">
    <svg viewBox="0 0 ${24 * hourWidth} ${chartHeight + 14}" role="img" aria-label="${summary}">
      ${bars}
      ${[0, 6, 12, 18].map(hour => html`<text x="${hour * hourWidth + 1}" y="${chartHeight + 11}">${hour}:00</text>`)}
    </svg>
    <figcaption class="quiet">${summary}.</figcaption>
  </figure>`
}

const whole = new Intl.NumberFormat('en')

/** Cents as 1,234.50. The API names no currency. */
function money(cents: bigint): string {
  const size = cents < 0n ? -cents : cents
  return `${cents < 0n ? '−' : ''}${whole.format(size / 100n)}.${String(size % 100n).padStart(2, '0')}`
}

const quantity = (count: number): string => String(Math.round(count * 1000) / 1000)

/** `America/New_York` as people say it. */
const cityOf = (timezone: string): string => timezone.replace(/^.*\//, '').replaceAll('_', ' ')

const longDate = (date: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  )
