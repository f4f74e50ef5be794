#include "cli/query_output.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace skein::cli {

namespace {

constexpr size_t deciding_rows = 1000;

std::string_view bytes(sqlite3_stmt* statement, int column) {
  const void* const data = sqlite3_column_blob(statement, column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
  return data ? std::string_view(static_cast<const char*>(data), size) : std::string_view();
}

std::string hex(std::string_view blob) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "x'";
  for (const char c : blob) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text + '\'';
}

// Integers and reals, as SQL writes them.
std::string number(sqlite3_stmt* statement, int column) {
  return reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
}

void append_csv(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const size_t size = std::max<size_t>(point.size, 1);
    const bool blank = text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
    if (text[0] == '"')
      out += "\"\"";
    else if (point.size == 0 || (!blank && (point.code < 0x20 || point.code == 0x7f)))
      append_escaped(out, text.substr(0, size));
    else
      out += text.substr(0, size);
    text.remove_prefix(size);
  }
  out += '"';
}

bool is_plain(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != ','; }) &&
         text.front() != ' ' && text.back() != ' ';
}

void append_csv_if_needed(std::string& out, std::string_view text) {
  if (is_plain(text))
    out += text;
  else
    append_csv(out, text);
}

}  // namespace

void QueryOutput::begin(sqlite3_stmt* statement) {
  statement_ = statement;
  columns_ = sqlite3_column_count(statement);
  rows_ = 0;
  names_.clear();
  waiting_.clear();
  widths_.clear();
  numeric_.assign(static_cast<size_t>(columns_), true);
  std::vector<std::string> seen;
  for (int i = 0; i < columns_; i++) {
    const char* const name = sqlite3_column_name(statement, i);
    std::string text = name ? name : "";
    if (format_ == QueryFormat::Json) {  // an object has each name once
      const std::string original = text;
      for (int n = 1; std::find(seen.begin(), seen.end(), text) != seen.end(); n++)
        text = original + ':' + std::to_string(n);
      seen.push_back(text);
      std::string key;
      append_json(key, text);
      names_.push_back(key);
    } else {
      names_.push_back(format_ == QueryFormat::Text ? escaped(text) : text);
    }
  }
  std::string& out = out_.text();
  if (format_ == QueryFormat::Json) out += '[';
  if (format_ == QueryFormat::Csv) {
    for (int i = 0; i < columns_; i++) {
      if (i) out += ',';
      append_csv_if_needed(out, names_[static_cast<size_t>(i)]);
    }
    out += '\n';
  }
}

void QueryOutput::row() {
  switch (format_) {
    case QueryFormat::Text:
      text_row();
      break;
    case QueryFormat::Csv:
      csv_row();
      break;
    case QueryFormat::Json:
      json_row();
      break;
  }
  rows_++;
  out_.line_done();
}

void QueryOutput::end() {
  if (format_ == QueryFormat::Text && widths_.empty()) flush_table();
  if (format_ == QueryFormat::Json) out_.text() += rows_ ? "\n]\n" : "]\n";
}

void QueryOutput::text_row() {
  std::vector<std::string> cells;
  for (int i = 0; i < columns_; i++) switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_NULL:
        cells.emplace_back("-");
        break;
      case SQLITE_INTEGER:
      case SQLITE_FLOAT:
        cells.push_back(number(statement_, i));
        break;
      case SQLITE_BLOB:
        cells.push_back(hex(bytes(statement_, i)));
        numeric_[static_cast<size_t>(i)] = false;
        break;
      default:
        cells.push_back(escaped(bytes(statement_, i)));
        numeric_[static_cast<size_t>(i)] = false;
    }
  if (!widths_.empty()) return add_table_line(cells);
  waiting_.push_back(std::move(cells));
  if (waiting_.size() == deciding_rows) flush_table();
}

void QueryOutput::flush_table() {
  widths_.assign(static_cast<size_t>(columns_), 0);
  waiting_.insert(waiting_.begin(), names_);
  for (const std::vector<std::string>& line : waiting_)
    for (size_t i = 0; i < line.size(); i++)
      widths_[i] = std::max(widths_[i], terminal_cells(line[i]));
  for (const std::vector<std::string>& line : waiting_) {
    add_table_line(line);
    out_.line_done();
  }
  waiting_.clear();
}

void QueryOutput::add_table_line(const std::vector<std::string>& cells) {
  std::string& out = out_.text();
  for (size_t i = 0; i < cells.size(); i++) {
    const size_t taken = terminal_cells(cells[i]);
    const std::string padding(widths_[i] - std::min(widths_[i], taken), ' ');
    const bool is_last = i + 1 == cells.size();
    if (numeric_[i]) out += padding;
    out += cells[i];
    if (!numeric_[i] && !is_last) out += padding;
    if (!is_last) out += "  ";
  }
  out += '\n';
}

void QueryOutput::csv_row() {
  std::string& out = out_.text();
  for (int i = 0; i < columns_; i++) {
    if (i) out += ',';
    switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_NULL:
        break;
      case SQLITE_INTEGER:
      case SQLITE_FLOAT:
        out += number(statement_, i);
        break;
      case SQLITE_BLOB:
        out += hex(bytes(statement_, i));
        break;
      default:
        append_csv_if_needed(out, bytes(statement_, i));
    }
  }
  out += '\n';
}

void QueryOutput::json_row() {
  std::string& out = out_.text();
  out += rows_ ? ",\n{" : "\n{";
  for (int i = 0; i < columns_; i++) {
    if (i) out += ',';
    out += names_[static_cast<size_t>(i)];
    out += ':';
    switch (sqlite3_column_type(statement_, i)) {
      case SQLITE_NULL:
        out += "null";
        break;
      case SQLITE_FLOAT: {  // infinite: what every reader takes for it
        const double real = sqlite3_column_double(statement_, i);
        out += std::isinf(real) ? (real < 0 ? "-1e999" : "1e999") : number(statement_, i);
        break;
      }
      case SQLITE_INTEGER:
        out += number(statement_, i);
        break;
      case SQLITE_BLOB:
        append_json(out, hex(bytes(statement_, i)));
        break;
      default:
        append_json(out, bytes(statement_, i));
    }
  }
  out += '}';
}

}  // namespace skein::cli
