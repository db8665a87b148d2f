// Reloads the day when the server says that the store has changed, and marks what is new.

const status = /** @type {HTMLElement} */ (document.getElementById('live'))
const store = status.dataset['store'] ?? ''
const events = new EventSource(`/events?${new URLSearchParams({ store })}`)
let isLoading = false
let isStale = false

/** @param {string} text @param {boolean} isLive */
function show(text, isLive) {
  status.textContent = text
  status.classList.toggle('on', isLive)
}

/** The text of each order's row. */
function rows() {
  const found = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-order]'))
  return new Map([...found].map(row => [row.dataset['order'], { row, text: row.textContent }]))
}

async function reload() {
  const before = rows()
  const answer = await fetch(location.href)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const day = page.getElementById('day')
  // The connection has ended: the whole page says so.
  if (!day) return location.reload()
  document.getElementById('day')?.replaceWith(document.adoptNode(day))
  if (before.size === 0) return
  const after = [...rows()]
  const changed = after.filter(([id, { text }]) => before.get(id)?.text !== text)
  for (const [, { row }] of changed) row.classList.add('new')
  const added = changed.filter(([id]) => !before.has(id)).length
  const news = [added > 0 && `${added} new`, changed.length > added && `${changed.length - added} changed`]
  if (changed.length > 0) show(`Live: ${news.filter(Boolean).join(', ')}`, true)
}

async function changed() {
  isStale = true
  if (isLoading) return
  isLoading = true
  try {
    while (isStale) {
      isStale = false
      await reload()
    }
  } catch {
    show('New orders could not be loaded. Reload the page.', false)
  } finally {
    isLoading = false
  }
}

events.addEventListener('message', changed)
events.addEventListener('open', () => {
  show('Live: new orders appear by themselves', true)
  // What has changed between the page and the stream.
  void changed()
})
events.addEventListener('error', () => show('Not connected. Trying again …', false))
