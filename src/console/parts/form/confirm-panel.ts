import { html } from 'ghtml'
import { postForm } from './post-form.ts'
import { type Action, type Content, render } from '../content.ts'

interface ConfirmPanel {
  /** Where the form is sent. */
  action: string
  csrf: string
  /** What stops working or changes. */
  content: Content
  /** The button's text: what it does, in the words of the page before. */
  confirm: string
  cancel: Action
  /** For a change that is hard to undo. */
  danger?: boolean
  /** HTML: further fields of the form. */
  fields?: string
}

/** A confirmation: the page's `<h1>` asks the question, this panel says what follows and has the buttons. */
export const confirmPanel = (panel: ConfirmPanel): string =>
  html`<section class="card confirm">
    <div>!${render(panel.content)}</div>
    !${postForm(
      panel.action,
      panel.csrf,
      html`!${panel.fields ?? ''}
      <div class="actions">
        <button type="submit" !${panel.danger ? 'class="danger"' : ''}>${panel.confirm}</button>
        <a class="button secondary" href="${panel.cancel.href}">${panel.cancel.label}</a>
      </div>`,
    )}
  </section>`
