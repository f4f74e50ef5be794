#include "view/gtk/panel.h"

#include <algorithm>

namespace skein::desktop {

namespace {

bool equal(const Panel& a, const Panel& b) {
  return a.title == b.title &&
         std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(),
                    [](const PanelLine& x, const PanelLine& y) {
                      return x.name == y.name && x.value == y.value && x.link == y.link &&
                             x.heading == y.heading;
                    });
}

Gtk::Label* make_label(const std::string& text) {
  auto* label = Gtk::make_managed<Gtk::Label>();
  label->set_text(text);
  label->set_xalign(0);
  label->set_yalign(0);
  return label;
}

}  // namespace

PanelView::PanelView(std::function<void(uint32_t link)> follow) : follow_(std::move(follow)) {
  set_policy(Gtk::PolicyType::NEVER, Gtk::PolicyType::AUTOMATIC);
  set_child(box_);
  box_.set_margin(12);
  title_.set_xalign(0);
  title_.set_wrap(true);
  title_.set_wrap_mode(Pango::WrapMode::WORD_CHAR);
  title_.set_selectable(true);
  title_.set_focusable(false);
  title_.set_max_width_chars(30);
  title_.add_css_class("heading");
  lines_.set_column_spacing(10);
  lines_.set_row_spacing(3);
  box_.append(title_);
  box_.append(lines_);
}

void PanelView::show_panel(Panel panel) {
  if (equal(panel, shown_)) return;
  if (panel.title != shown_.title) get_vadjustment()->set_value(0);
  shown_ = std::move(panel);
  title_.set_text(shown_.title);
  while (Gtk::Widget* child = lines_.get_first_child()) lines_.remove(*child);
  int row = 0;
  for (const PanelLine& line : shown_.lines) {
    auto* name = make_label(line.name);
    name->add_css_class("dim-label");
    name->set_wrap(true);
    name->set_max_width_chars(12);
    auto* value = make_label(line.value);
    value->set_hexpand(true);
    value->set_wrap(true);
    value->set_wrap_mode(Pango::WrapMode::WORD_CHAR);
    value->set_width_chars(16);
    value->set_max_width_chars(26);
    if (line.link != 0) {
      value->set_markup("<a href=\"" + std::to_string(line.link) + "\">" +
                        Glib::Markup::escape_text(line.value) + "</a>");
      value->signal_activate_link().connect(
          [this, link = line.link](const Glib::ustring&) {
            // Later: the link may remove this label.
            Glib::signal_idle().connect_once([this, link] { follow_(link); });
            return true;
          },
          false);
    } else {
      value->set_selectable(true);
      value->set_focusable(false);
    }
    if (line.heading) {
      value->set_markup("<b>" + Glib::Markup::escape_text(line.value) + "</b>");
      if (row != 0) name->set_margin_top(10);
      value->set_margin_top(name->get_margin_top());
    }
    lines_.attach(*name, 0, row);
    lines_.attach(*value, 1, row);
    row++;
  }
}

}  // namespace skein::desktop
