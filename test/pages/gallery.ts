import { html } from 'ghtml'
import { layout, type Page } from '../../src/console/layout.ts'
import { badge } from '../../src/console/parts/badge.ts'
import { card } from '../../src/console/parts/card.ts'
import { chart } from '../../src/console/parts/chart/chart.ts'
import { choiceList } from '../../src/console/parts/form/choice-list.ts'
import { confirmPanel } from '../../src/console/parts/form/confirm-panel.ts'
import { emptyState } from '../../src/console/parts/empty-state.ts'
import { facts } from '../../src/console/parts/facts.ts'
import { notice } from '../../src/console/parts/notice.ts'
import { pageHeader } from '../../src/console/parts/page-header.ts'
import { pagination } from '../../src/console/parts/pagination.ts'
import { searchForm } from '../../src/console/parts/form/search-form.ts'
import { secretBox } from '../../src/console/parts/secret-box.ts'
import { statTiles } from '../../src/console/parts/stat-tiles.ts'
import { table } from '../../src/console/parts/table.ts'
import { storeTime, viewerTime, viewerZone } from '../../src/console/parts/format/time.ts'

const now = 1_793_534_400
const days = Array.from({ length: 30 }, (_, i) => `${i + 1} Nov`)
const hours = Array.from({ length: 48 }, (_, i) => `${String(i % 24).padStart(2, '0')}:00`)
const wave = (size: number, points: number, shift: number): number[] =>
  Array.from({ length: points }, (_, i) => Math.round(size * (1 + Math.sin((i + shift) / 4))))
const hostile = '<b>Nobody’s</b> "Mill" & sons, at the very long end of Harbour Street'

/** Every part once, with the names and numbers that are hardest on it. */
export const galleryPage = (): Page =>
  layout({
    title: 'Gallery',
    viewer: {
      account: { email: 'a.rather.long.name@operations.example.com', role: 'operator' },
      csrf: 'token',
    },
    path: '/operator/apps/x',
    body: html`!${pageHeader({
      title: hostile,
      back: { href: '/operator/apps', label: 'Apps' },
      beside: html`!${badge('Enabled', 'good')} !${badge('Public')}`,
      lead: { text: 'A sentence that says what this page is for, and what one can do here.' },
      actions: html`<a class="button" href="#main">Create an app</a> <a class="button secondary" href="#main">Export</a>`,
    })}
    !${notice({ tone: 'info', content: { text: 'Something to know.' } })}
    !${notice({ tone: 'warn', title: 'Two secrets are live', content: { text: 'Retire the old one soon.' } })}
    !${notice({ tone: 'bad', content: { text: 'One of the stores is not yours.' } })}
    !${notice({ tone: 'good', content: { text: 'Stores saved.' } })}
    !${statTiles([
      { label: 'Requests', text: '1.2M', hint: 'last 24 hours' },
      { label: 'Errors', html: html`0.31 %`, hint: '3,720' },
      { label: 'Stores', text: '48', href: '#main' },
      { label: 'Ingest lag', text: '2 s' },
      { label: 'Database', text: '12.4 GB' },
    ])}
    <div class="grid-2">
      !${card({
        body: chart({
          id: 'reads',
          title: 'What it read, by day',
          kind: 'stacked',
          points: days,
          pointName: 'Day',
          series: [
            { name: 'Orders', values: wave(60, 30, 0) },
            { name: 'Items', values: wave(25, 30, 5) },
            { name: hostile, values: wave(9, 30, 9) },
          ],
          empty: 'Nothing was read.',
        }),
      })}
      !${card({
        body: chart({
          id: 'requests',
          title: 'Requests and errors, by hour',
          kind: 'stacked',
          points: hours,
          pointName: 'Hour (UTC)',
          series: [
            { name: 'Answered', values: wave(16_000, 48, 0) },
            { name: 'Errors', values: wave(900, 48, 3), tone: 'bad' },
          ],
          empty: 'No requests.',
        }),
      })}
      !${card({
        body: chart({
          id: 'latency',
          title: 'Latency, by hour',
          kind: 'lines',
          points: hours,
          pointName: 'Hour (UTC)',
          unit: 'ms',
          series: [
            { name: 'p50', values: wave(4, 48, 0) },
            { name: 'p95', values: wave(12, 48, 2).map((v, i) => (i > 20 && i < 26 ? null : v)) },
            { name: 'p99', values: wave(26, 48, 4) },
          ],
          empty: 'No requests.',
        }),
      })}
      !${card({
        body: chart({
          id: 'nothing',
          title: 'What it read, by day',
          kind: 'grouped',
          points: days,
          pointName: 'Day',
          series: [{ name: 'Orders', values: days.map(() => 0) }],
          empty: 'Nothing was read in the last 30 days.',
        }),
      })}
    </div>
    !${card({
      title: 'Requests',
      beside: html`<a class="button secondary small" href="#main">Try it</a>`,
      body: html`!${searchForm({ action: '/gallery', label: 'Request id', value: 'abc', placeholder: 'such as 4f9c…' })}
        !${table({
          caption: 'Requests',
          rows: [200, 401, 422],
          columns: [
            {
              title: 'When',
              note: viewerZone,
              html: row => viewerTime(now + row, { precision: 'second', named: false }),
            },
            { title: 'Endpoint', html: () => html`<code>GET /integration/v1/inventory/items</code>` },
            { title: 'Status', html: row => badge(String(row), row === 200 ? 'good' : 'bad') },
            { title: 'Latency', align: 'end', text: row => `${row / 10} ms` },
            { title: 'Request id', html: () => html`<code class="value">Zk3v9m2QTnWcY0aLr8sXbQ</code>` },
          ],
        })}
        !${pagination({ label: 'Requests', newer: '#main', older: '#main', position: 'Page 2' })}`,
    })}
    !${card({
      title: 'Settings',
      body: facts([
        { term: 'Type', text: 'Confidential' },
        { term: 'Last read', html: storeTime(now, 'Australia/Sydney') },
        { term: 'Maker', text: hostile },
      ]),
    })}
    !${secretBox({ client_id: 'Zk3v9m2QTnWcY0aLr8sXbQ', client_secret: 'hX2'.repeat(14) })}
    !${emptyState({
      title: 'No apps yet',
      content: { text: 'Create one to get a client_id and a secret.' },
      action: { href: '#main', label: 'Create an app' },
    })}
    !${confirmPanel({
      action: '/gallery',
      csrf: 'token',
      content: {
        html: html`<p>It can no longer read anything.</p>
          !${choiceList({
            legend: 'Which stores may it access?',
            name: 'store',
            noun: 'store',
            choices: Array.from({ length: 12 }, (_, i) => ({
              value: String(i),
              label: i === 0 ? hostile : `Store ${i}`,
              checked: i % 3 === 0,
              ...(i % 2 === 0 && { hint: 'Australia/Sydney' }),
            })),
          })}`,
      },
      confirm: 'Revoke access',
      cancel: { href: '#main', label: 'Cancel' },
      danger: true,
    })}`,
  })
