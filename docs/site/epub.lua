-- A filter of pandoc's: pages become chapters of one book. Each is a div of class "page", whose
-- identifier is the page's name, with its source and its title; links between files become links
-- between chapters, and places in a page get the page's name before their own.

local names = {}  -- source -> the page's name

local function path_of(page, target)
  local parts = {}
  for part in (pandoc.path.directory(page.attributes.source) .. "/" .. target):gmatch("[^/]+") do
    if part == ".." then table.remove(parts)
    elseif part ~= "." then table.insert(parts, part) end
  end
  return table.concat(parts, "/")
end

local function slug_of(heading)
  local words = pandoc.utils.stringify(heading):lower():gsub("[^a-z0-9]+", "-")
  return (words:gsub("^-", ""):gsub("-$", ""))
end

local function filter_of(page)
  local function place(anchor) return page.identifier .. "--" .. anchor end
  return {
    RawInline = function(raw)
      raw.text = raw.text:gsub('id="([^"]+)"', function(id) return 'id="' .. place(id) .. '"' end)
      return raw
    end,
    Header = function(heading)
      if heading.level == 1 then
        heading.content = page.attributes.title
        heading.identifier = page.identifier
      else
        heading.identifier = place(slug_of(heading))
      end
      return heading
    end,
    Image = function(image)
      image.src = path_of(page, image.src)
      return image
    end,
    -- Files that are not in the book are named, and no more.
    Link = function(link)
      if link.target:match("^https?:") then return nil end
      local path, anchor = link.target:match("^([^#]*)#?(.*)$")
      local name = path == "" and page.identifier or names[path_of(page, path)]
      if not name then return link.content end
      link.target = "#" .. name .. (anchor ~= "" and "--" .. anchor or "")
      return link
    end,
    -- > [!NOTE]
    BlockQuote = function(quote)
      local words = quote.content[1].content
      local kind = pandoc.utils.stringify(words[1] or ""):match("^%[!(%u+)%]$")
      if not kind then return nil end
      words:remove(1)
      if words[1] and words[1].t == "SoftBreak" then words:remove(1) end
      local label = kind:sub(1, 1) .. kind:sub(2):lower()
      quote.content:insert(1, pandoc.Para{pandoc.Strong(label)})
      return quote
    end,
  }
end

function Pandoc(book)
  local blocks = pandoc.Blocks{}
  for _, page in ipairs(book.blocks) do names[page.attributes.source] = page.identifier end
  for _, page in ipairs(book.blocks) do
    blocks:extend(pandoc.walk_block(page, filter_of(page)).content)
  end
  return pandoc.Pandoc(blocks, book.meta)
end
